"""The accuracy campaign: `python -m tests.conformance.campaigns.accuracy COUNT`.

Prints the worst error among COUNT points, in ulps, for every operation and partial derivative. Add
avx512, avx2 or base after COUNT to test the array kernels instead.
"""

import sys

from tqdm import tqdm

from chainrule import core, ops

from .. import truth
from . import check, kernels


def campaign(count: int, simd: str | None) -> dict[str, dict[str, float]]:
    worst: dict[str, dict[str, float]] = {}
    rows = [op for op in ops.TABLE if op.name in truth.TRUTH]
    for op in tqdm(rows, desc=f"{count} points per operation"):
        found = worst.setdefault(op.name, {})
        points = list(check.points(op, count, seed=1))
        results = kernels.evaluate(simd, op, points) if simd else (check.evaluate(op, p) for p in points)
        for args, result in zip(points, results, strict=True):
            for what, ulps in check.distances(check.truths(op, args), *result).items():
                if not ulps <= found.get(what, 0.0):
                    found[what] = ulps
    return worst


if __name__ == "__main__":
    simd = sys.argv[2] if len(sys.argv) > 2 else None
    worst = campaign(int(sys.argv[1]), simd)
    for name, found in worst.items():
        print(f"{name:12}", "  ".join(f"{what} {ulps:.2f}" for what, ulps in found.items()))
    bad = [name for name, found in worst.items() if not all(u <= check.LIMIT for u in found.values())]
    where = f"in the {simd} kernels" if simd else f"on the {core} core"
    print(f"worst {where}: {max(u for found in worst.values() for u in found.values()):.2f} ulp")
    sys.exit(f"over {check.LIMIT} ulp: {', '.join(bad)}" if bad else 0)

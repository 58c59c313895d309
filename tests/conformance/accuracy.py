"""The accuracy campaign: `python -m tests.conformance.accuracy COUNT` checks COUNT points per row.

Prints the worst error found for every operation and partial, in ulps.
"""

from __future__ import annotations

import sys

from tqdm import tqdm

from chainrule import core, ops

from . import check, truth


def campaign(count: int) -> dict[str, dict[str, float]]:
    worst: dict[str, dict[str, float]] = {}
    rows = [op for op in ops.TABLE if op.name in truth.TRUTH]
    for op in tqdm(rows, desc=f"{count} points per operation"):
        found = worst.setdefault(op.name, {})
        for args in check.points(op, count, seed=1):
            for what, ulps in check.errors(op, args).items():
                if not ulps <= found.get(what, 0.0):
                    found[what] = ulps
    return worst


if __name__ == "__main__":
    worst = campaign(int(sys.argv[1]))
    for name, found in worst.items():
        print(f"{name:12}", "  ".join(f"{what} {ulps:.2f}" for what, ulps in found.items()))
    bad = [name for name, found in worst.items() if not all(u <= check.LIMIT for u in found.values())]
    print(
        f"worst on the {core} core: {max(u for found in worst.values() for u in found.values()):.2f} ulp"
    )
    sys.exit(f"over {check.LIMIT} ulp: {', '.join(bad)}" if bad else 0)

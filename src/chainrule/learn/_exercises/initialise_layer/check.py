import math

from chainrule.learn.checking import CheckFailedError, Work, shown, whole

RULE = "the sum of nin products has variance nin * v, so v must be 1 / nin"


def check(work: Work) -> None:
    initialise, Random = work.get("initialise"), work.imported("random").Random

    @work.for_all(whole(1, 6), whole(1, 6))
    def shape(nin: int, nout: int) -> None:
        rows = work.kind("initialise(nin, nout, rng)", initialise(nin, nout, Random(0)), list)
        work.equal("the number of rows", len(rows), nout)
        for row in rows:
            work.equal("the length of each row", len(work.kind("each row", row, list)), nin)
            for each in row:
                work.kind("each number in a row", each, float)
        again = initialise(nin, nout, Random(0))
        work.true("the same seed must give the same weights: draw them from rng", rows == again)
        work.true(
            "a different seed must give different weights", initialise(nin, nout, Random(1)) != rows
        )

    for nin, nout in ((10, 1000), (100, 100), (400, 25), (25, 400)):
        weights = [w for row in initialise(nin, nout, Random(3)) for w in row]
        what = f"the {len(weights):,} weights of initialise({nin}, {nout}, rng)"
        work.true(f"{what} must differ from each other", len(set(weights)) > len(weights) // 2)
        mean = sum(weights) / len(weights)
        variance = sum((w - mean) ** 2 for w in weights) / len(weights)
        if abs(mean) > 0.06 * nin**-0.5:
            raise CheckFailedError(f"the mean of {what}", "about 0", shown(mean), "the mean must be 0")
        if not 0.93 < variance * nin < 1.07:
            raise CheckFailedError(
                f"the variance of {what}", f"about {1 / nin:g}", f"{variance:.3g}", RULE
            )

    rng, signal = Random(5), [math.copysign(1.0, i % 2 - 0.5) for i in range(60)]
    for _ in range(8):
        rows = initialise(60, 60, rng)
        signal = [sum(w * x for w, x in zip(row, signal, strict=True)) for row in rows]
    size = (sum(x * x for x in signal) / 60) ** 0.5
    work.true(
        f"after 8 layers the size of a signal must be about 1, got {size:.3g}", 0.25 < size < 4.0, RULE
    )

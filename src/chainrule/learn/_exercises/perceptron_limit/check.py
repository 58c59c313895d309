from random import Random

from chainrule.learn.checking import CheckFailedError, Work, shown

CORNERS = [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)]
GATES = {"and": [-1, -1, -1, 1], "or": [-1, 1, 1, 1], "nand": [1, 1, 1, -1], "first": [-1, -1, 1, 1]}


def check(work: Work) -> None:
    perceptron = work.get("perceptron")

    def separates(what: str, points: list, labels: list, rounds: int = 1000) -> None:
        line = perceptron(points, labels, rounds)
        if line is None:
            raise CheckFailedError(
                f"perceptron for {what}", "(w1, w2, b), because such a line exists", "None"
            )
        w1, w2, b = work.kind(f"perceptron for {what}", line, tuple)
        for (x1, x2), label in zip(points, labels, strict=True):
            side = w1 * x1 + w2 * x2 + b
            place = f"w1 * x1 + w2 * x2 + b at {(x1, x2)} for {what}, with {shown(line)}"
            if side * label <= 0:
                raise CheckFailedError(place, "above 0" if label > 0 else "below 0", shown(side))

    for name, labels in GATES.items():
        separates(f"the corners of a square with the labels {labels} ({name})", CORNERS, labels)
    separates("one point, (1, 1), with the label -1", [(1.0, 1.0)], [-1])

    for seed in range(12):
        rng = Random(seed)
        u, v, shift = rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)
        points = [(round(rng.uniform(-2, 2), 1), round(rng.uniform(-2, 2), 1)) for _ in range(30)]
        sides = [u * x + v * y + shift for x, y in points]
        kept = [
            (p, 1 if side > 0 else -1) for p, side in zip(points, sides, strict=True) if abs(side) > 0.15
        ]
        separates(
            "random points on two sides of a line",
            [p for p, _ in kept],
            [label for _, label in kept],
            5000,
        )

    for labels in ([-1, 1, 1, -1], [1, -1, -1, 1]):
        found = perceptron(CORNERS, labels, 200)
        rule = "no straight line has (0, 1) and (1, 0) on one side, (0, 0) and (1, 1) on the other"
        work.true(
            f"perceptron for exclusive or, with labels {labels}, must return None, got {shown(found)}",
            found is None,
            rule,
        )
    # Worked out by hand: two updates, and then both points are on the right side.
    steps = [((1.0, 0.0), 1), ((0.0, 1.0), -1)]
    found = perceptron([p for p, _ in steps], [label for _, label in steps], 10)
    what = "perceptron([(1, 0), (0, 1)], [1, -1]), worked out by hand"
    work.equal(
        what,
        found,
        (1.0, -1.0, 0.0),
        "after (1, 0): w = (1, 0), b = 1; after (0, 1): w = (1, -1), b = 0",
    )
    work.true(
        "perceptron([(1, 0), (0, 1)], [1, -1], 1) must return None: the only round made changes",
        perceptron([(1.0, 0.0), (0.0, 1.0)], [1, -1], 1) is None,
    )

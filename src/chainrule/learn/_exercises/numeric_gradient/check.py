import math

from chainrule.learn.checking import Work, number

RULE = "central differences: (f(x + epsilon) - f(x - epsilon)) / (2 * epsilon), one number at a time"


def check(work: Work) -> None:
    numeric_gradient = work.get("numeric_gradient")

    def compare(what: str, f, x: list, expected: list, **options) -> None:
        kept = list(x)
        found = list(work.kind(f"numeric_gradient of {what}", numeric_gradient(f, x, **options), list))
        work.equal(f"the length of numeric_gradient of {what}", len(found), len(expected))
        work.equal(f"numeric_gradient of {what}", found, expected, RULE, tolerance=2e-8)
        work.equal("the list x after numeric_gradient, which must not change it", x, kept)

    @work.for_all(number())
    def one(x: float) -> None:
        compare("x[0] * x[0]", lambda v: v[0] * v[0], [x], [2 * x])
        compare("sin(x[0])", lambda v: math.sin(v[0]), [x], [math.cos(x)])

    @work.for_all(number(), number())
    def two(x: float, y: float) -> None:
        compare("x[0] * x[1], at [x, y]", lambda v: v[0] * v[1], [x, y], [y, x])
        compare("x[0]**2 + 3 * x[1], at [x, y]", lambda v: v[0] ** 2 + 3 * v[1], [x, y], [2 * x, 3.0])

    @work.for_all(number(), number(), number())
    def three(x: float, y: float, z: float) -> None:
        wanted = [y, x + z, y]
        compare(
            "x[0] * x[1] + x[1] * x[2], at [x, y, z]",
            lambda v: v[0] * v[1] + v[1] * v[2],
            [x, y, z],
            wanted,
        )

    @work.for_all(number(), number(0.1, 0.9))
    def wide(x: float, epsilon: float) -> None:
        # The central difference of a cube is known exactly for every epsilon.
        expected = [3 * x**2 + epsilon**2]
        compare("x[0]**3, with the given epsilon", lambda v: v[0] ** 3, [x], expected, epsilon=epsilon)

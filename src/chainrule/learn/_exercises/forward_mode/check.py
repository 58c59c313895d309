import math

from chainrule.engine import Value as Reference
from chainrule.learn.checking import Work, number, numeric
from chainrule.learn.programs import LARGE, Program, program

SUM = "the sum rule: (u + v)' = u' + v'"
PRODUCT = "the product rule: (u * v)' = u' * v + u * v'"
CHAIN = "the chain rule: exp(u)' = exp(u) * u'"


def check(work: Work) -> None:
    Dual, derivative = work.get("Dual"), work.get("derivative")

    def compare(what: str, found, value: float, tangent: float, rule: str) -> None:
        work.kind(what, found, Dual)
        work.equal(f"({what}).value", found.value, value)
        work.equal(f"({what}).tangent", found.tangent, tangent, rule)

    @work.for_all(number(), number(), number(), number())
    def operations(x: float, y: float, s: float, t: float) -> None:
        u, v = Dual(x, s), Dual(y, t)
        compare("Dual(x, s) + Dual(y, t)", u + v, x + y, s + t, SUM)
        compare("Dual(x, s) * Dual(y, t)", u * v, x * y, s * y + x * t, PRODUCT)
        compare("Dual(x, s).exp()", u.exp(), math.exp(x), math.exp(x) * s, CHAIN)
        compare("Dual(x, s) + y", u + y, x + y, s, "the tangent of a constant is 0")
        compare("y + Dual(x, s)", y + u, x + y, s, "the tangent of a constant is 0")
        compare("Dual(x, s) * y", u * y, x * y, s * y, "the tangent of a constant is 0")
        compare("y * Dual(x, s)", y * u, x * y, s * y, "the tangent of a constant is 0")
        work.equal(
            "Dual(x, s) after these operations, which must not change it", [u.value, u.tangent], [x, s]
        )

    @work.for_all(program("+", "*", "exp", longest=4), number(), number(), number(), number())
    def programs(lines: Program, a: float, b: float, s: float, t: float) -> None:
        theirs = lines([Reference(a), Reference(b)])
        theirs[-1].backward()
        if all(abs(v.data) < LARGE and abs(v.grad) < LARGE for v in theirs):
            mine = lines([Dual(a, s), Dual(b, t)])[-1]
            slope = s * theirs[0].grad + t * theirs[1].grad
            compare(
                "the last result, when a and b have the tangents s and t",
                mine,
                theirs[-1].data,
                slope,
                CHAIN,
            )

    @work.for_all(number())
    def derivatives(x: float) -> None:
        for what, f, plain in (
            ("x * x", lambda x: x * x, lambda x: x * x),
            ("x", lambda x: x, lambda x: x),
            ("3 * x + 1", lambda x: 3 * x + 1, lambda x: 3 * x + 1),
            ("exp(x * x * -1)", lambda x: (x * x * -1).exp(), lambda x: math.exp(-x * x)),
        ):
            found = derivative(f, x)
            work.kind(f"derivative of {what}", found, float)
            work.equal(f"derivative of {what}", found, numeric(plain, x)[0], tolerance=1e-6)

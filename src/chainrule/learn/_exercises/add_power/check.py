from chainrule.learn.checking import Work, number, numeric, positive, whole
from chainrule.learn.programs import ADDED, CHAIN, Program, compare, program, reason

RULE = "the power rule: d(x**n)/dx = n * x**(n - 1)"


def check(work: Work) -> None:
    Value = work.get("Value")

    def one(x: float, n: float) -> None:
        a = Value(x)
        b = work.kind("b = a**n", a**n, Value)
        work.equal("b.data, with a = Value(x), b = a**n", b.data, x**n)
        b.backward()
        (slope,) = numeric(lambda x: x**n, x)
        what = "a.grad after b.backward(), with a = Value(x), b = a**n"
        work.equal(what, a.grad, slope, reason(a, b, RULE), tolerance=1e-5)

    @work.for_all(number(), whole(1, 4))
    def whole_exponents(x: float, n: int) -> None:
        one(x, n)

    @work.for_all(number(0.3, 3.0), number(-2.0, 2.5))
    def any_exponents(x: float, n: float) -> None:
        one(x, n)

    @work.for_all(positive(), number())
    def inside(x: float, y: float) -> None:
        a = Value(x)
        (a**2 * y + a**3).backward()
        what = "a.grad after b.backward(), with a = Value(x), b = a**2 * y + a**3"
        work.equal(what, a.grad, 2 * x * y + 3 * x**2, f"{CHAIN}; {ADDED}")

    @work.for_all(program("+", "*", "**2", "**3", longest=4), number(), number())
    def graphs(lines: Program, a: float, b: float) -> None:
        compare(work, Value, lines, [a, b])

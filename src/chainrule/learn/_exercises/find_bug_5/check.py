from chainrule.learn.checking import Work, number, numeric, positive, whole
from chainrule.learn.programs import Program, compare, program

RULE = "the power rule: d(x**n)/dx = n * x**(n - 1)"


def check(work: Work) -> None:
    Value = work.get("Value")

    def one(x: float, n: float) -> None:
        a = Value(x)
        b = a**n
        work.equal("(a**n).data, with a = Value(x)", b.data, x**n)
        b.backward()
        (slope,) = numeric(lambda x: x**n, x)
        work.equal(
            "a.grad after (a**n).backward(), with a = Value(x)", a.grad, slope, RULE, tolerance=1e-5
        )

    @work.for_all(number(), whole(1, 4))
    def whole_exponents(x: float, n: int) -> None:
        one(x, n)

    @work.for_all(number(0.3, 3.0), number(-2.0, 2.5))
    def any_exponents(x: float, n: float) -> None:
        one(x, n)

    @work.for_all(program("+", "*", "**2", "**3", "/", longest=4), positive(), positive())
    def graphs(lines: Program, a: float, b: float) -> None:
        compare(work, Value, lines, [a, b])

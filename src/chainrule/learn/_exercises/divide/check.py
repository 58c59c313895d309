from chainrule.learn.checking import Work, number, numeric, positive
from chainrule.learn.programs import Program, compare, program, reason

RULE = "a quotient is x * y**-1: d(x/y)/dx = 1/y and d(x/y)/dy = -x/y**2"


def check(work: Work) -> None:
    Value = work.get("Value")

    @work.for_all(number(), positive())
    def quotients(x: float, y: float) -> None:
        a, b = Value(x), Value(y)
        c = work.kind("c = a / b", a / b, Value)
        work.equal("c.data, with a = Value(x), b = Value(y), c = a / b", c.data, x / y)
        c.backward()
        dx, dy = numeric(lambda x, y: x / y, x, y)
        work.equal(
            "a.grad after c.backward(), with c = a / b", a.grad, dx, reason(a, c, RULE), tolerance=1e-5
        )
        work.equal(
            "b.grad after c.backward(), with c = a / b", b.grad, dy, reason(b, c, RULE), tolerance=1e-5
        )
        work.equal(
            "a.data and b.data after c.backward(), which must not change them", [a.data, b.data], [x, y]
        )

    @work.for_all(number(), positive())
    def plain_numbers(x: float, y: float) -> None:
        a, b = Value(x), Value(y)
        c, d = work.kind("a / y", a / y, Value), work.kind("x / b", x / b, Value)
        work.equal("(a / y).data, with a = Value(x)", c.data, x / y)
        work.equal("(x / b).data, with b = Value(y)", d.data, x / y)
        c.backward()
        d.backward()
        work.equal("a.grad after (a / y).backward()", a.grad, 1 / y, RULE)
        work.equal("b.grad after (x / b).backward()", b.grad, -x / y**2, RULE)

    @work.for_all(program("+", "*", "/", longest=4), positive(), positive())
    def graphs(lines: Program, a: float, b: float) -> None:
        compare(work, Value, lines, [a, b])

    work.equal("(Value(7.0) / Value(2)).data", (Value(7.0) / Value(2)).data, 3.5)

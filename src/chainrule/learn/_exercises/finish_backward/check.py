from chainrule.learn.checking import Work, number
from chainrule.learn.programs import Program, compare, program

AGAIN = "leaves add up the gradients of all calls; the results in between start each call at 0"


def check(work: Work) -> None:
    Value = work.get("Value")
    a = Value(2.0)
    a.backward()
    work.equal("a.grad after a.backward()", a.grad, 1.0, "da/da is 1: the chain rule starts with that")

    @work.for_all(program("+", "*"), number(), number())
    def graphs(lines: Program, a: float, b: float) -> None:
        compare(work, Value, lines, [a, b])

    @work.for_all(number(), number())
    def with_numbers(x: float, y: float) -> None:
        a, b = Value(x), Value(y)
        (2 * a * b + a + 1).backward()
        work.equal("a.grad and b.grad for 2 * a * b + a + 1", [a.grad, b.grad], [2 * y + 1, 2 * x])

    @work.for_all(number(), number())
    def twice(x: float, y: float) -> None:
        a, b = Value(x), Value(y)
        c = a * b
        d = c + c * a
        for times in (1, 2):
            d.backward()
            work.equal(
                f"[a.grad, b.grad] after call {times} of d.backward(), with c = a * b, d = c + c * a",
                [a.grad, b.grad],
                [times * (y + 2 * x * y), times * (x + x * x)],
                AGAIN,
            )
            work.equal(f"c.grad after call {times} of d.backward()", c.grad, 1 + x, AGAIN)

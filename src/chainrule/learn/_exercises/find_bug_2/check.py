from chainrule.learn.checking import Work, number
from chainrule.learn.programs import Program, compare, program


def check(work: Work) -> None:
    Value = work.get("Value")
    a, b, c = Value(2.0), Value(3.0), Value(5.0)
    (b * a + c * a).backward()
    rule = "the gradients from all paths add up: here 3 and 5"
    work.equal("a.grad for b * a + c * a, with a = 2, b = 3, c = 5", a.grad, 8.0, rule)

    @work.for_all(program("+", "-", "*", "tanh"), number(), number())
    def graphs(lines: Program, a: float, b: float) -> None:
        compare(work, Value, lines, [a, b])

    @work.for_all(number(), number())
    def with_numbers(x: float, y: float) -> None:
        a, b = Value(x), Value(y)
        (2 * a * b + a * 3 + 1).backward()
        work.equal("a.grad and b.grad for 2 * a * b + a * 3 + 1", [a.grad, b.grad], [2 * y + 3, 2 * x])

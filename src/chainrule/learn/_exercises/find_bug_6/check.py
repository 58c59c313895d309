from chainrule.learn.checking import Work, number
from chainrule.learn.programs import ADDED, Program, compare, program


def check(work: Work) -> None:
    Value = work.get("Value")
    a, b = Value(2.0), Value(3.0)
    c = a * b
    (c + c).backward()
    rule = "each Value passes its gradient on once, when it is complete"
    work.equal("a.grad for c = a * b, d = c + c, with a = 2, b = 3", a.grad, 6.0, rule)
    work.equal("c.grad for c = a * b, d = c + c", c.grad, 2.0, ADDED)

    @work.for_all(program("+", "*", "tanh", longest=8), number(), number())
    def graphs(lines: Program, a: float, b: float) -> None:
        compare(work, Value, lines, [a, b], rule)

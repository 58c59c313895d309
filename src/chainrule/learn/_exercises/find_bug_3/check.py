from chainrule.learn.checking import Work, number
from chainrule.learn.programs import Program, compare, program


def check(work: Work) -> None:
    Value = work.get("Value")
    a = Value(2.0)
    c = a * a
    d = ((c + a) * a) * c
    d.backward()
    rule = "a Value passes its gradient on after every result that uses it has done so"
    work.equal("a.grad for c = a * a, d = ((c + a) * a) * c, with a = 2", a.grad, 112.0, rule)

    @work.for_all(program("+", "*", "tanh", longest=8), number(), number())
    def graphs(lines: Program, a: float, b: float) -> None:
        compare(work, Value, lines, [a, b], rule)

from chainrule.engine import Value as Reference
from chainrule.learn.checking import Work, number
from chainrule.learn.programs import NAMES, Program, compare, compare_gradients, program

RULE = "the product rule: d(x*y)/dx = y, with the current y"


def check(work: Work) -> None:
    Value = work.get("Value")
    a, b = Value(2.0), Value(3.0)
    c = a * b
    c.backward()
    work.equal("a.grad and b.grad for a * b with a = 2, b = 3", [a.grad, b.grad], [3.0, 2.0], RULE)
    a.data = 10.0
    c.forward()
    work.equal("c.data for c = a * b after a.data = 10 and c.forward(), with b = 3", c.data, 30.0)
    c.backward()
    work.equal(
        "a.grad and b.grad after a.data = 10, c.forward(), c.backward()",
        [a.grad, b.grad],
        [3.0, 10.0],
        RULE,
    )

    @work.for_all(program("+", "*"), number(), number())
    def fresh(lines: Program, a: float, b: float) -> None:
        compare(work, Value, lines, [a, b])

    @work.for_all(program("+", "*", longest=4), number(), number(), number(), number())
    def again(lines: Program, a: float, b: float, new_a: float, new_b: float) -> None:
        mine, theirs = lines([Value(a), Value(b)]), lines([Reference(new_a), Reference(new_b)])
        mine[-1].backward()
        mine[0].data, mine[1].data = new_a, new_b
        mine[-1].forward()
        theirs[-1].backward()
        work.equal(f"{NAMES[len(mine) - 1]}.data after forward()", mine[-1].data, theirs[-1].data)
        mine[-1].backward()
        compare_gradients(work, mine, theirs, RULE)

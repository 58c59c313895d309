from chainrule.engine import Value as Reference
from chainrule.learn.checking import Work, number
from chainrule.learn.programs import NAMES, Program, compare_gradients, program


def check(work: Work) -> None:
    Value = work.get("Value")

    @work.for_all(program("+", "*"), number(), number())
    def graphs(lines: Program, a: float, b: float) -> None:
        mine, theirs = lines([Value(a), Value(b)]), lines([Reference(a), Reference(b)])
        theirs[-1].backward()
        result = NAMES[len(mine) - 1]
        mine[-1].backward()
        mine[-1].zero_grad()
        for name, v, other in zip(NAMES, mine, theirs, strict=False):
            work.equal(f"{name}.grad after {result}.zero_grad()", v.grad, 0.0)
            work.equal(f"{name}.data after {result}.zero_grad()", v.data, other.data)
        mine[-1].backward()
        compare_gradients(
            work, mine, theirs, f"here {result}.backward() ran a second time, after {result}.zero_grad()"
        )

    a, b = Value(2.0), Value(3.0)
    c, d = a * b, b + 1
    d.backward()
    c.zero_grad()
    work.equal(
        "the grad of d = b + 1 after c.zero_grad(), with c = a * b: c does not depend on d", d.grad, 1.0
    )

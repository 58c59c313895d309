from chainrule.engine import Value as Reference
from chainrule.learn.checking import Work, number
from chainrule.learn.programs import ADDED, Program, compare_gradients, program


def sweep(values: list) -> None:
    """Call `_backward` from the last value to the first: results before their inputs."""
    values[-1].grad = 1.0
    for value in reversed(values):
        value._backward()


def check(work: Work) -> None:
    Value = work.get("Value")

    @work.for_all(number())
    def twice(x: float) -> None:
        for what, make, slope in (
            ("a + a", lambda a: a + a, 2.0),
            ("a * a", lambda a: a * a, 2 * x),
        ):
            a = Value(x)
            b = work.kind(f"b = {what}", make(a), Value)
            sweep([a, b])
            work.equal(f"a.grad, with a = Value(x), b = {what}, b.grad = 1", a.grad, slope, ADDED)

    @work.for_all(program("+", "*"), number(), number())
    def graphs(lines: Program, a: float, b: float) -> None:
        mine = lines([Value(a), Value(b)])
        theirs = lines([Reference(a), Reference(b)])
        theirs[-1].backward()
        sweep(mine)
        compare_gradients(work, mine, theirs)

from chainrule.learn.checking import Work, number
from chainrule.learn.programs import check_function

RULE = "relu: the slope is 1 for x > 0 and 0 for x < 0"


def check(work: Work) -> None:
    Value = work.get("Value")

    def away_from_the_corner(rng):
        return number()(rng) or 1.0

    check_function(work, Value, "relu", lambda x: max(0.0, x), away_from_the_corner, RULE)
    a = Value(0.0)
    b = a.relu()
    work.equal("Value(0.0).relu().data", b.data, 0.0)
    b.backward()
    work.equal("the slope of relu at 0, which is 0 by convention", a.grad, 0.0)

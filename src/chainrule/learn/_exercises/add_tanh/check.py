import math

from chainrule.learn.checking import Work, number
from chainrule.learn.programs import check_function


def check(work: Work) -> None:
    Value = work.get("Value")
    rule = "tanh: dt/dx = 1 - t**2, with t = tanh(x)"
    check_function(work, Value, "tanh", math.tanh, number(), rule)
    for x in (1000.0, -1000.0):
        try:
            t = Value(x).tanh().data
        except OverflowError:
            work.true(f"Value({x}).tanh() raises OverflowError", False)
        work.equal(f"Value({x}).tanh().data", t, math.tanh(x))

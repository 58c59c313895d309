import math

from chainrule.learn.checking import Work, number
from chainrule.learn.programs import check_function


def check(work: Work) -> None:
    Value = work.get("Value")
    rule = "sigmoid: ds/dx = s * (1 - s), with s = sigmoid(x)"
    check_function(work, Value, "sigmoid", lambda x: 1 / (1 + math.exp(-x)), number(), rule)

    def far(what: str, x: float, data: float, slope: float) -> None:
        a = Value(x)
        try:
            b = a.sigmoid()
            b.backward()
        except OverflowError:
            work.true(f"{what} raises OverflowError: with which arguments is math.exp called?", False)
        work.equal(f"{what}.data", b.data, data)
        work.equal(f"the slope of {what}", a.grad, slope, rule)

    for x in (40.0, 700.0, 710.0, 1000.0, 1e6):
        far(f"Value({x}).sigmoid()", x, 1.0, 0.0)
        far(f"Value({-x}).sigmoid()", -x, 0.0, 0.0)
    for x in (-20.0, -30.0, -100.0, -600.0):
        exact = math.exp(x)
        what = f"Value({x}).sigmoid().data, divided by the exact value, {exact:.6g}"
        work.equal(what, Value(x).sigmoid().data / exact, 1.0, tolerance=1e-8)

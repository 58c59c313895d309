import math

from chainrule.learn.checking import Work, number
from chainrule.learn.programs import check_function


def check(work: Work) -> None:
    rule = "the logarithm: d(log(x))/dx = 1 / x"
    check_function(work, work.get("Value"), "log", math.log, number(0.2, 5.0), rule)

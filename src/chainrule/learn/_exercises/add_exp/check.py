import math

from chainrule.learn.checking import Work, number
from chainrule.learn.programs import check_function


def check(work: Work) -> None:
    rule = "the exponential: d(exp(x))/dx = exp(x)"
    check_function(work, work.get("Value"), "exp", math.exp, number(), rule)

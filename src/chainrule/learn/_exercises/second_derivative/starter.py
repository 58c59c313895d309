"""Differentiate twice.

`second_derivative(f, x)` is the second derivative of f at the number x, as a plain number. f takes
a Value and gives a Value. For f(x) = x**3 and x = 2 it is 12. It has to be exact up to rounding:
differences are not good enough.

There are two ways. `grad(f)` of chainrule is a function: the derivative of f. Or, with a Value x
and y = f(x), `y.backward(create_graph=True)` leaves in x.grad a Value, which can be differentiated
again.
"""

from chainrule import grad


def second_derivative(f, x):
    pass  # your code here

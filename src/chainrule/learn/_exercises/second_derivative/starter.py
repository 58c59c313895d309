"""Differentiate twice.

`second_derivative(f, x)` returns the second derivative of f at the number x, as a plain number. f
takes a Value and returns a Value. For f(x) = x**3 and x = 2 the result is 12. It must be exact up
to rounding: finite differences are not good enough.

There are two ways. chainrule's `grad(f)` is a function, the derivative of f. Or, with a Value x and
y = f(x), `y.backward(create_graph=True)` makes x.grad a Value, which can be differentiated again.
"""

from chainrule import grad


def second_derivative(f, x):
    pass  # your code here

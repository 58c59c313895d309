import math

from chainrule.learn.checking import Work, number

RULE = "f'' is the derivative of f', which is itself a function of x"


def functions(chainrule) -> dict:
    """Functions by name, each with its second derivative on plain numbers."""
    return {
        "x**2": (lambda x: x**2, lambda x: 2.0),
        "x**3": (lambda x: x**3, lambda x: 6 * x),
        "5 * x": (lambda x: 5 * x, lambda x: 0.0),
        "exp(2 * x)": (lambda x: chainrule.exp(2 * x), lambda x: 4 * math.exp(2 * x)),
        "sin(x)": (chainrule.sin, lambda x: -math.sin(x)),
        "x * exp(x)": (lambda x: x * chainrule.exp(x), lambda x: (x + 2) * math.exp(x)),
        "tanh(x)": (chainrule.tanh, lambda x: -2 * math.tanh(x) * (1 - math.tanh(x) ** 2)),
        "1 / (1 + x**2)": (lambda x: 1 / (1 + x**2), lambda x: (6 * x**2 - 2) / (1 + x**2) ** 3),
    }


def check(work: Work) -> None:
    chainrule = work.imported("chainrule")
    known = functions(chainrule)
    second_derivative = work.get("second_derivative")

    @work.for_all(number(), tries=20)
    def everywhere(x: float) -> None:
        for what, (f, expected) in known.items():
            found = second_derivative(f, x)
            work.true(
                f"the second derivative of {what} must be a plain number, got a Value",
                not isinstance(found, chainrule.Value),
            )
            work.equal(
                f"the second derivative of {what}", found, float(expected(x)), RULE, tolerance=1e-11
            )

from chainrule.learn.checking import CheckFailedError, Work, number
from chainrule.learn.programs import Program, program


class Right:
    """A correct engine; each of the others below changes one thing."""

    def __init__(self, data, inputs=(), slopes=()):
        self.data, self.grad = float(data), 0.0
        self.inputs, self.slopes = inputs, slopes

    def made(self, data, inputs, slopes):
        return type(self)(data, inputs, slopes)

    def other(self, x):
        return x if isinstance(x, Right) else type(self)(x)

    def __add__(self, other):
        other = self.other(other)
        return self.made(self.data + other.data, (self, other), (1.0, 1.0))

    def __sub__(self, other):
        other = self.other(other)
        return self.made(self.data - other.data, (self, other), (1.0, -1.0))

    def __mul__(self, other):
        other = self.other(other)
        return self.made(self.data * other.data, (self, other), (other.data, self.data))

    def __truediv__(self, other):
        other = self.other(other)
        slopes = (1 / other.data, -self.data / other.data**2)
        return self.made(self.data / other.data, (self, other), slopes)

    def __pow__(self, n):
        return self.made(self.data**n, (self,), (n * self.data ** (n - 1),))

    __radd__, __rmul__ = __add__, __mul__

    def order(self):
        found = {}

        def visit(value):
            if value not in found:
                for each in value.inputs:
                    visit(each)
                found[value] = True

        visit(self)
        return list(found)

    def backward(self):
        self.grad = 1.0
        for value in reversed(self.order()):
            value.pass_on()

    def pass_on(self):
        for each, slope in zip(self.inputs, self.slopes, strict=True):
            each.grad += slope * self.grad


class Overwrites(Right):
    def pass_on(self):
        for each, slope in zip(self.inputs, self.slopes, strict=True):
            each.grad = slope * self.grad


class NoChain(Right):
    def pass_on(self):
        for each, slope in zip(self.inputs, self.slopes, strict=True):
            each.grad += slope


class WrongPower(Right):
    def __pow__(self, n):
        return self.made(self.data**n, (self,), (n * self.data**n,))


class WrongSign(Right):
    def __sub__(self, other):
        return self.made(self.data - other.data, (self, other), (1.0, 1.0))


class WrongQuotient(Right):
    def __truediv__(self, other):
        return self.made(self.data / other.data, (self, other), (1 / other.data, -1 / other.data**2))


class SlightlyOff(Right):
    def __mul__(self, other):
        other = self.other(other)
        return self.made(self.data * other.data, (self, other), (1.001 * other.data, self.data))


class SlightlyLess(Right):
    def __mul__(self, other):
        other = self.other(other)
        return self.made(self.data * other.data, (self, other), (0.999 * other.data, self.data))


class FirstOnly(Right):
    def pass_on(self):
        for each, slope in list(zip(self.inputs, self.slopes, strict=True))[:1]:
            each.grad += slope * self.grad


class TooEarly(Right):
    def order(self):
        found, level = [], [self]
        while level:
            found += [each for each in level if each not in found]
            level = [each for value in level for each in value.inputs]
        return found[::-1]


class Exchanged(Right):
    def __mul__(self, other):
        other = self.other(other)
        return self.made(self.data * other.data, (self, other), (self.data, other.data))


class Twice(Right):
    def order(self):
        return [*super().order(), self]


class Never(Right):
    def backward(self):
        self.grad = 1.0


PLANTED = [
    (Overwrites, "a + a", lambda a: a + a, 1, "a gradient that is overwritten"),
    (Overwrites, "a * b + a * c", lambda a, b, c: a * b + a * c, 3, "a gradient that is overwritten"),
    (NoChain, "(a * b) * c", lambda a, b, c: (a * b) * c, 3, "no factor for the gradient of the result"),
    (WrongPower, "a**3", lambda a: a**3, 1, "a wrong power rule"),
    (WrongSign, "a - b", lambda a, b: a - b, 2, "a wrong sign for the second argument"),
    (WrongQuotient, "a / b", lambda a, b: a / b, 2, "a wrong slope for the second argument"),
    (SlightlyOff, "a * b", lambda a, b: a * b, 2, "a slope that is too large by one part in a thousand"),
    (
        SlightlyLess,
        "a * b",
        lambda a, b: a * b,
        2,
        "a slope that is too small by one part in a thousand",
    ),
    (FirstOnly, "a + b", lambda a, b: a + b, 2, "an argument that gets no gradient"),
    (FirstOnly, "a * b + c", lambda a, b, c: a * b + c, 3, "an argument that gets no gradient"),
    (TooEarly, "(a * a * a + a) * (a * a)", lambda a: cube_and_square(a), 1, "a wrong order"),
    (Exchanged, "a * b", lambda a, b: a * b, 2, "the slopes of a product swapped"),
    (Twice, "a * b", lambda a, b: a * b, 2, "a result that passes its gradient on twice"),
    (Never, "a * b", lambda a, b: a * b, 2, "a backward that does nothing"),
]


def cube_and_square(a):
    square = a * a
    return (square * a + a) * square


def last(leaves: int, lines: tuple):
    return lambda *values: Program(leaves, lines)(values)[-1]


def eighth(a):
    return a**8


def check(work: Work) -> None:
    check_gradients, given = work.get("check_gradients"), work.given
    Right, planted = given.Right, given.PLANTED

    def says(expected: bool, what: str, engine: type, f, numbers: list, rule: str) -> None:
        kept = list(numbers)
        found = check_gradients(engine, f, numbers)
        if found is None:
            raise CheckFailedError(what, str(expected), "None (is there a return?)")
        if bool(found) is not expected:
            raise CheckFailedError(what, str(expected), str(found), rule)
        work.equal("the numbers after check_gradients, which must not change them", numbers, kept)

    exact = "differences are not exact: a small disagreement, relative to the slope, is not a bug"

    @work.for_all(program("+", "-", "*", longest=4), number(-2.0, 2.0), number(-2.0, 2.0))
    def right(lines: Program, a: float, b: float) -> None:
        what = "check_gradients for the last value, with a correct engine"
        says(True, what, Right, given.last(lines.leaves, lines.lines), [a, b], exact)

    @work.for_all(number(10.0, 20.0))
    def large(x: float) -> None:
        what = "check_gradients(Value, lambda a: a**8, [x]), with a correct engine"
        says(True, what, Right, given.eighth, [x], exact)

    @work.for_all(number(0.5, 3.0), number(0.5, 3.0), number(0.5, 3.0))
    def wrong(a: float, b: float, c: float) -> None:
        for engine, text, f, count, bug in planted:
            numbers = [a + 1, b + 4, c + 8][:count]
            at = ", ".join(f"{x:g}" for x in numbers)
            what = f"check_gradients for {text} at [{at}], with an engine that has {bug}"
            says(False, what, engine, f, numbers, "every gradient must be compared")

from chainrule.learn.checking import Work, number, whole

RULE = "backward adds to the gradients, so those of the previous step must be reset"


def square(target: float):
    return lambda x: (x - target) * (x - target)


def quartic(x):
    return x * x * x * x * (1 / 27) + x * x - x


def check(work: Work) -> None:
    Value, minimise = work.get("Value"), work.get("minimise")
    square, quartic = work.given.square, work.given.quartic

    work.equal("one step from 0 for (x - 3) * (x - 3)", minimise(square(3.0), 0.0, steps=1), 0.6, RULE)
    work.equal("two steps from 0 for (x - 3) * (x - 3)", minimise(square(3.0), 0.0, steps=2), 1.08, RULE)

    @work.for_all(number(), number(), number(0.01, 0.4), whole(0, 20))
    def walks(start: float, target: float, rate: float, steps: int) -> None:
        expected = start
        for _ in range(steps):
            expected -= rate * 2 * (expected - target)
        found = minimise(square(target), start, rate, steps)
        work.kind("the result of minimise", found, float)
        work.equal("minimise for (x - target) * (x - target)", found, expected, RULE)

    @work.for_all(number(), number(0.01, 0.1))
    def other_functions(start: float, rate: float) -> None:
        expected = start
        for _ in range(10):
            expected -= rate * (4 * expected**3 / 27 + 2 * expected - 1)
        found = minimise(quartic, start, rate, 10)
        work.equal("minimise for x**4 / 27 + x**2 - x, in 10 steps", found, expected, RULE)

    work.equal("minimise for (x - 3) * (x - 3) from 0", minimise(square(3.0), 0.0), 3.0, tolerance=1e-3)
    a = Value(3.0)
    (a * a + a).backward()
    work.equal("a.grad for a * a + a with a = 3: gradients must still add up", a.grad, 7.0)

from chainrule.learn.checking import Work, number, whole

RULE = "each step: p.data -= rate * p.grad, with the gradients of this step alone"


def bowl(parameters: list):
    return lambda: parameters[0] ** 2 + 3 * parameters[1] ** 2


def loss_of(xor_loss, parameters: list):
    return lambda: xor_loss(parameters)


def check(work: Work) -> None:
    train, Value = work.get("train"), work.imported("chainrule").Value

    @work.for_all(number(), number(), number(0.01, 0.3), whole(1, 8))
    def walks(a: float, b: float, rate: float, steps: int) -> None:
        parameters = [Value(a), Value(b)]
        losses = train(work.given.bowl(parameters), parameters, rate, steps)
        losses = list(work.kind("the result of train", losses, list))
        x, y, expected = a, b, []
        for _ in range(steps):
            expected.append(x * x + 3 * y * y)
            x, y = x - rate * 2 * x, y - rate * 6 * y
        what = "for the loss a**2 + 3 * b**2, the parameters after train"
        work.equal(what, [p.data for p in parameters], [x, y], RULE)
        work.equal("the number of losses", len(losses), steps)
        for each in losses:
            work.kind("each of the losses", each, float)
        work.equal("the losses, for a**2 + 3 * b**2", losses, expected)

    p = Value(3.0)
    p.grad = 100.0
    train(lambda: p**2, [p], 0.1, 1)
    work.equal("a parameter that had a gradient before train, after one step", p.data, 2.4, RULE)
    parameters = work.get("make_parameters")()
    losses = train(work.given.loss_of(work.get("xor_loss"), parameters), parameters, 0.1, 500)
    work.true(
        f"after 500 steps the loss for exclusive or must be below 0.02, got {losses[-1]:.4f}",
        losses[-1] < 0.02,
    )

import math

from chainrule.learn.checking import CheckFailedError, Work, number, several, whole

RULE = "d tanh(s)/dw = (1 - tanh(s)**2) * x, for s = w * x + b"


def made(work: Work, nin: int):
    Value = work.imported("chainrule").Value
    neuron = work.get("Neuron")(nin)
    for name in ("w", "b"):
        work.true(f"Neuron({nin}) has no .{name}", hasattr(neuron, name))
    work.kind(f"Neuron({nin}).w", neuron.w, list)
    work.equal(f"the number of weights of Neuron({nin})", len(neuron.w), nin)
    work.kinds(f"each weight, and the bias, of Neuron({nin})", [*neuron.w, neuron.b], Value)
    return neuron


def numbers(values: list) -> list:
    return [each.data for each in values]


def check(work: Work) -> None:
    work.imported("random").seed(0)
    Value = work.imported("chainrule").Value

    @work.for_all(whole(1, 5))
    def making(nin: int) -> None:
        neuron = made(work, nin)
        found = list(work.kind(f"Neuron({nin}).parameters()", neuron.parameters(), list))
        work.equal(f"the number of parameters of Neuron({nin})", len(found), nin + 1)
        for each in (*neuron.w, neuron.b):
            work.true(
                "parameters() must contain each weight and the bias", any(p is each for p in found)
            )

    weights = work.given.numbers(made(work, 50).w)
    work.true("the weights must differ from each other", len(set(weights)) > 40)
    work.true("the weights must be between -1 and 1", all(-1.0 <= w <= 1.0 for w in weights))
    work.true("there must be negative and positive weights", min(weights) < 0.0 < max(weights))
    work.true(
        "two neurons must have different weights", made(work, 1).w[0].data != made(work, 1).w[0].data
    )

    @work.for_all(several(number(), 1, 4), number(-1.0, 1.0))
    def calling(x: list, b: float) -> None:
        neuron = made(work, len(x))
        neuron.b.data = b
        for i, w in enumerate(neuron.w):
            w.data = 0.5 - 0.25 * i
        numbers = [w.data for w in neuron.w]
        out = work.kind("neuron(x)", neuron(x), Value)
        total = sum(w * v for w, v in zip(numbers, x, strict=True)) + b
        what = f"neuron(x).data, with w = {numbers}"
        work.equal(what, out.data, math.tanh(total), "tanh of w[0] * x[0] + ... + b")
        out.backward()
        slope = 1 - math.tanh(total) ** 2
        work.equal("neuron(x).data, computed a second time", neuron(x).data, out.data)
        for i, v in enumerate(x):
            work.equal(f"w[{i}].grad, with w = {numbers}", neuron.w[i].grad, slope * v, RULE)
        work.equal(f"b.grad, with w = {numbers}", neuron.b.grad, slope, "d tanh(s)/db = 1 - tanh(s)**2")

    neuron, x = made(work, 2), [Value(0.5), Value(-1.5)]
    try:
        neuron(x).backward()
    except Exception as error:
        raise CheckFailedError(f"neuron(x) for a list of Values raises {error!r}") from None
    work.true("inputs that are Values must get gradients too", x[0].grad != 0.0 != x[1].grad)

import math

from chainrule.learn.checking import Work, number, several, whole


def made(work: Work, nin: int, nout: int):
    layer = work.get("Layer")(nin, nout)
    work.true(f"Layer({nin}, {nout}) has no .neurons", hasattr(layer, "neurons"))
    work.kind(f"Layer({nin}, {nout}).neurons", layer.neurons, list)
    work.equal(f"the number of neurons of Layer({nin}, {nout})", len(layer.neurons), nout)
    work.kinds(f"each of the neurons of Layer({nin}, {nout})", layer.neurons, work.get("Neuron"))
    for count in work.given.weights(layer.neurons):
        work.equal(f"the number of weights of each neuron of Layer({nin}, {nout})", count, nin)
    return layer


def weights(neurons: list) -> list:
    return [len(each.w) for each in neurons]


def parameters(neurons: list) -> list:
    return [p for neuron in neurons for p in neuron.parameters()]


def set_numbers(neurons: list, rows: list) -> None:
    for neuron, (*weights, bias) in zip(neurons, rows, strict=True):
        for w, weight in zip(neuron.w, weights, strict=True):
            w.data = weight
        neuron.b.data = bias


def check(work: Work) -> None:
    work.imported("random").seed(0)
    Value = work.imported("chainrule").Value

    @work.for_all(whole(1, 4), whole(1, 4))
    def making(nin: int, nout: int) -> None:
        layer = made(work, nin, nout)
        work.equal("the number of different neurons", len(set(map(id, layer.neurons))), nout)
        found = list(work.kind("layer.parameters()", layer.parameters(), list))
        work.equal("the number of parameters", len(found), nout * (nin + 1))
        work.kinds("each of layer.parameters()", found, Value)
        wanted = work.given.parameters(layer.neurons)
        same = all(a is b for a, b in zip(found, wanted, strict=True))
        work.true(
            "parameters() must list those of the first neuron, then those of the second, ...", same
        )

    @work.for_all(several(number(), 1, 3), whole(1, 4))
    def calling(x: list, nout: int) -> None:
        layer = made(work, len(x), nout)
        rows = [[0.5 - 0.25 * j + 0.1 * i for j in range(len(x) + 1)] for i in range(nout)]
        work.given.set_numbers(layer.neurons, rows)
        found = list(work.kind("layer(x)", layer(x), list))
        work.equal("the number of outputs", len(found), nout)
        for i, (out, (*weights, bias)) in enumerate(zip(found, rows, strict=True)):
            work.kind(f"layer(x)[{i}]", out, Value)
            expected = math.tanh(sum(w * v for w, v in zip(weights, x, strict=True)) + bias)
            what = f"layer(x)[{i}].data, the output of neuron {i}"
            work.equal(what, out.data, expected, f"here neuron {i} has w = {weights}, b = {bias}")
        found[-1].backward()
        work.true(
            "the last output must be connected to the last neuron", layer.neurons[-1].b.grad != 0.0
        )

    work.true("creating a layer must not call it", made(work, 2, 2).neurons[0].b.grad == 0.0)

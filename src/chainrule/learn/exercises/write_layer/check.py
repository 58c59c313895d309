from chainrule.learn.checking import Work, number, several, whole


def made(work: Work, nin: int, nout: int):
    layer = work.get("Layer")(nin, nout)
    work.true(f"Layer({nin}, {nout}) has no .neurons", hasattr(layer, "neurons"))
    work.kind(f"Layer({nin}, {nout}).neurons", layer.neurons, list)
    work.equal(f"the number of neurons of Layer({nin}, {nout})", len(layer.neurons), nout)
    for each in layer.neurons:
        work.kind(f"each of the neurons of Layer({nin}, {nout})", each, work.get("Neuron"))
        work.equal(f"the number of weights of each neuron of Layer({nin}, {nout})", len(each.w), nin)
    return layer


def check(work: Work) -> None:
    work.imported("random").seed(0)
    Value = work.imported("chainrule").Value

    @work.for_all(whole(1, 4), whole(1, 4))
    def making(nin: int, nout: int) -> None:
        layer = made(work, nin, nout)
        work.equal("the number of different neurons", len(set(map(id, layer.neurons))), nout)
        found = list(work.kind("layer.parameters()", layer.parameters(), list))
        work.equal("the number of parameters", len(found), nout * (nin + 1))
        for i, p in enumerate(found):
            work.kind(f"layer.parameters()[{i}]", p, Value)
        wanted = [p for neuron in layer.neurons for p in neuron.parameters()]
        same = all(a is b for a, b in zip(found, wanted, strict=True))
        work.true("parameters() must be those of the first neuron, then those of the second, ...", same)

    @work.for_all(several(number(), 1, 3), whole(1, 4))
    def calling(x: list, nout: int) -> None:
        layer = made(work, len(x), nout)
        found = list(work.kind("layer(x)", layer(x), list))
        work.equal("the number of outputs", len(found), nout)
        for i, (out, neuron) in enumerate(zip(found, layer.neurons, strict=True)):
            work.kind(f"layer(x)[{i}]", out, Value)
            work.equal(
                f"layer(x)[{i}].data, which is what neuron {i} makes of x", out.data, neuron(x).data
            )
        found[-1].backward()
        work.true(
            "the last output must be connected with the last neuron", layer.neurons[-1].b.grad != 0.0
        )

    work.true("making a layer must not call it", made(work, 2, 2).neurons[0].b.grad == 0.0)

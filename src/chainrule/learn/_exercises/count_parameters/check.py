from chainrule import nn
from chainrule.learn.checking import Work, several, whole


def check(work: Work) -> None:
    count_parameters = work.get("count_parameters")

    def compare(nin: int, nouts: list) -> None:
        kept = list(nouts)
        what = f"count_parameters({nin}, {nouts})"
        found = work.kind(what, count_parameters(nin, nouts), int)
        model = nn.MLP(nin, kept)
        terms = " + ".join(str(len(layer.parameters())) for layer in model.layers)
        work.equal(what, found, len(model.parameters()), f"layer by layer: {terms}")
        work.equal("the list after count_parameters, which must not change it", nouts, kept)

    compare(2, [4, 4, 1])

    @work.for_all(whole(1, 6), several(whole(1, 6), 1, 4))
    def networks(nin: int, nouts: list) -> None:
        compare(nin, nouts)

    many = count_parameters(10_000, [10_000, 1000])
    work.equal("count_parameters(10_000, [10_000, 1000])", many, 10_000 * 10_001 + 1000 * 10_001)

import math

from chainrule import Value, nn
from chainrule.learn.checking import Work, number, several

RULE = "d loss/d logit = probability, minus 1 for the right class"


def check(work: Work) -> None:
    cross_entropy, Own = work.get("cross_entropy"), work.imported("chainrule").Value

    def compare(numbers: list, target: int, what: str) -> None:
        mine, theirs = [Own(x) for x in numbers], [Value(x) for x in numbers]
        loss = work.kind(what, cross_entropy(mine, target), Value)
        expected = nn.cross_entropy(theirs, target)
        work.equal(
            f"the data of {what}", loss.data, expected.data, "log(sum of exp(logits)) - logits[target]"
        )
        loss.backward()
        expected.backward()
        for i, (a, b) in enumerate(zip(mine, theirs, strict=True)):
            work.equal(f"logits[{i}].grad after backward() on {what}", a.grad, float(b.grad), RULE)

    @work.for_all(several(number(), 1, 4))
    def usual(logits: list) -> None:
        for target in range(len(logits)):
            compare(logits, target, f"cross_entropy(logits, {target})")

    for numbers in ([0.0, 1000.0], [1000.0, 1000.0], [-1000.0, -1001.0, -1002.0], [1e5, 0.0, -1e5]):
        for target in range(len(numbers)):
            what = f"cross_entropy of the logits {numbers} for the target {target}"
            compare(numbers, target, what)
    equal = cross_entropy([Own(2.0)] * 4, 1)
    work.equal("cross_entropy of four equal logits: log(4)", equal.data, math.log(4))

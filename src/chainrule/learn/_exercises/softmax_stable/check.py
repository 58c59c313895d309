from chainrule import Value, softmax
from chainrule.learn.checking import Work, number, several

RULE = "for p = softmax(x): dp[i]/dx[j] = p[i] * ((i == j) - p[j])"


def check(work: Work) -> None:
    mine, Own = work.get("softmax"), work.imported("chainrule").Value

    def compare(numbers: list, chosen: int, what: str) -> None:
        xs, others = [Own(x) for x in numbers], [Value(x) for x in numbers]
        found = list(work.kind(what, mine(xs), list))
        expected = softmax(others)
        work.equal(f"the length of {what}", len(found), len(numbers))
        for each in found:
            work.kind(f"each element of {what}", each, Value)
        work.equal(f"the numbers in {what}", [p.data for p in found], [p.data for p in expected])
        found[chosen].backward()
        expected[chosen].backward()
        for i, (a, b) in enumerate(zip(xs, others, strict=True)):
            derivative = f"dp[{chosen}]/dxs[{i}], with p = {what}"
            work.equal(derivative, a.grad, float(b.grad), RULE)
        work.equal(
            "the numbers in xs after softmax, which must not change them", [x.data for x in xs], numbers
        )

    @work.for_all(several(number(), 1, 4))
    def usual(xs: list) -> None:
        for chosen in range(len(xs)):
            compare(xs, chosen, "softmax(xs)")

    for numbers in (
        [1000.0, 1001.0],
        [-1000.0, -1001.0],
        [0.0, 2000.0],
        [-2000.0, 0.0, 1.0],
        [5000.0] * 3,
    ):
        compare(numbers, 0, f"softmax({numbers})")

import math
import random

from chainrule.learn.checking import Work, number, whole

RULE = "softmax(queries[i] . keys[0..i] / sqrt(length)) times values[0..i]"


def reference(queries: list, keys: list, values: list) -> list:
    outputs = []
    for i, query in enumerate(queries):
        scores = [
            sum(a * b for a, b in zip(query, key, strict=True)) / math.sqrt(len(query))
            for key in keys[: i + 1]
        ]
        powers = [math.exp(score - max(scores)) for score in scores]
        weights = [power / sum(powers) for power in powers]
        outputs.append(
            [
                sum(w * v for w, v in zip(weights, column, strict=True))
                for column in zip(*values[: i + 1], strict=True)
            ]
        )
    return outputs


def check(work: Work) -> None:
    attention, Value = work.get("attention"), work.imported("chainrule").Value

    def made(rng: random.Random, length: int, size: int) -> list:
        return [[number(-2.0, 2.0)(rng) for _ in range(size)] for _ in range(length)]

    @work.for_all(whole(1, 4), whole(1, 4), whole(1, 3), whole(0, 1000), tries=20)
    def outputs(length: int, size: int, wide: int, seed: int) -> None:
        rng = random.Random(seed)
        numbers = made(rng, length, size), made(rng, length, size), made(rng, length, wide)
        parts = [[[Value(x) for x in row] for row in part] for part in numbers]
        found = work.kind("attention(queries, keys, values)", attention(*parts), list)
        expected = reference(*numbers)
        work.equal("the number of outputs", len(found), length)
        text = "queries {}, keys {}, values {}".format(*numbers)
        for i, (row, wanted) in enumerate(zip(found, expected, strict=True)):
            row = list(work.kind(f"output {i}", row, list))
            work.equal(f"the length of output {i}, which must be that of a value", len(row), wide)
            for each in row:
                work.kind(f"each number in output {i}", each, Value)
            work.equal(f"output {i} for {text}", [v.data for v in row], wanted, RULE)
        found[-1][0].backward()
        for name, part, k in (("queries", parts[0], 0), ("keys", parts[1], 1), ("values", parts[2], 2)):
            j = length - 1 if name == "queries" else 0

            def moved(h: float, k: int = k, j: int = j) -> float:
                copies = [[list(row) for row in part] for part in numbers]
                copies[k][j][0] += h
                return reference(*copies)[-1][0]

            slope = (moved(1e-5) - moved(-1e-5)) / 2e-5
            what = f"d outputs[-1][0]/d {name}[{j}][0], for {text}"
            work.equal(what, part[j][0].grad, slope, tolerance=1e-6)

"""A GPT built from scalars: it reads invented names letter by letter and learns to invent more.

One attention layer and one MLP layer, about 1,700 parameters, one name per step. The names are made
of syllables, so the lowest loss that any model can reach is known. `loss` is a plain function of the
parameters and a list of tokens; it runs on Values and on floats.
"""

import math
import random
from typing import Any

from chainrule import Value, dot, logsumexp, no_grad, optim, relu, softmax, sqrt, take

SYLLABLES = ["ba", "dri", "ka", "lun", "mi", "no", "sel", "ta", "vor", "zu"]
LETTERS = sorted(set("".join(SYLLABLES)))
END = len(LETTERS)  # the token before and after every name
SIZE, HEADS, CONTEXT = 12, 2, 10


def make_name(rng: random.Random) -> str:
    """Two or three syllables."""
    return "".join(rng.choice(SYLLABLES) for _ in range(rng.choice([2, 3])))


def least_loss() -> float:
    """The entropy of a name, divided by the mean number of tokens per name.

    The tokens are its letters and the end token.
    """
    letters = 2.5 * len("".join(SYLLABLES)) / len(SYLLABLES)
    return (math.log(2) + 2.5 * math.log(len(SYLLABLES))) / (letters + 1)


def encode(name: str) -> list[int]:
    return [END, *(LETTERS.index(letter) for letter in name), END]


def make_parameters(seed: int = 0) -> dict[str, list[list[Value]]]:
    """Matrices as lists of rows, filled with small random numbers."""
    rng = random.Random(seed)
    shapes = {
        "token": (END + 1, SIZE),
        "position": (CONTEXT, SIZE),
        "query": (SIZE, SIZE),
        "key": (SIZE, SIZE),
        "value": (SIZE, SIZE),
        "mix": (SIZE, SIZE),
        "widen": (2 * SIZE, SIZE),
        "narrow": (SIZE, 2 * SIZE),
        "output": (END + 1, SIZE),
    }
    return {
        name: [[Value(rng.gauss(0, 0.2)) for _ in range(columns)] for _ in range(rows)]
        for name, (rows, columns) in shapes.items()
    }


def linear(matrix: Any, x: Any) -> list[Any]:
    return [dot(row, x) for row in matrix]


def plus(x: Any, y: Any) -> list[Any]:
    return [a + b for a, b in zip(x, y, strict=True)]


def rms_norm(x: Any) -> list[Any]:
    """The vector scaled to a root mean square of 1."""
    size = sqrt(dot(x, x) / len(x) + 1e-5)
    return [a / size for a in x]


def attention(query: Any, keys: Any, values: Any) -> list[Any]:
    """A mean of the values, weighted by how well their keys match the query."""
    weights = softmax([dot(query, key) / math.sqrt(len(query)) for key in keys])
    return [dot(weights, column) for column in zip(*values, strict=True)]


def logits(parameters: Any, tokens: list[int]) -> list[Any]:
    """For every position, the score of each possible next token."""
    token, position = parameters["token"], parameters["position"]
    xs = [rms_norm(plus(take(token, t), position[i])) for i, t in enumerate(tokens)]
    queries, keys, values = (
        [linear(parameters[name], x) for x in xs] for name in ("query", "key", "value")
    )
    heads = [slice(i, i + SIZE // HEADS) for i in range(0, SIZE, SIZE // HEADS)]
    rows = []
    for i, x in enumerate(xs):
        seen: list[Any] = []  # what each head gathers from this position and the ones before
        for head in heads:
            keys_seen, values_seen = ([x[head] for x in xs[: i + 1]] for xs in (keys, values))
            seen += attention(queries[i][head], keys_seen, values_seen)
        x = plus(x, linear(parameters["mix"], seen))
        hidden = [relu(a) for a in linear(parameters["widen"], rms_norm(x))]
        x = plus(x, linear(parameters["narrow"], hidden))
        rows.append(linear(parameters["output"], rms_norm(x)))
    return rows


def loss(parameters: Any, tokens: list[int]) -> Any:
    """The mean cross-entropy of each token after the first, given those before it."""
    rows = logits(parameters, tokens[:-1])
    losses = [logsumexp(row) - take(row, target) for row, target in zip(rows, tokens[1:], strict=True)]
    return sum(losses) / len(losses)


def train(parameters: Any, steps: int, seed: int = 0) -> None:
    """Train on one name per step, with a learning rate that decays to 0."""
    rng = random.Random(seed)
    optimizer = optim.Adam([p for rows in parameters.values() for row in rows for p in row], lr=0.02)
    schedule = optim.LinearLR(optimizer, 1.0, 0.0, total_iters=steps)
    for _ in range(steps):
        optimizer.zero_grad()
        loss(parameters, encode(make_name(rng))).backward()
        optimizer.step()
        schedule.step()


@no_grad()
def evaluate(parameters: Any, names: int = 100) -> float:
    """The loss per token, over names drawn with a different seed."""
    rng = random.Random("evaluation")
    documents = [encode(make_name(rng)) for _ in range(names)]
    total = sum(loss(parameters, tokens).data * (len(tokens) - 1) for tokens in documents)
    return total / sum(len(tokens) - 1 for tokens in documents)


@no_grad()
def sample(parameters: Any, rng: random.Random) -> str:
    """A new name, drawn letter by letter."""
    tokens = [END]
    while len(tokens) <= CONTEXT:
        weights = [p.data for p in softmax(logits(parameters, tokens)[-1])]
        (chosen,) = rng.choices(range(END + 1), weights)
        if chosen == END:
            break
        tokens.append(chosen)
    return "".join(LETTERS[token] for token in tokens[1:])


def main(steps: int = 800) -> None:
    parameters = make_parameters()
    print(f"loss {evaluate(parameters):.3f} at the start")
    train(parameters, steps)
    print(f"loss {evaluate(parameters):.3f} after {steps} names; lowest possible {least_loss():.3f}")
    rng = random.Random(1)
    print("names:", ", ".join(sample(parameters, rng) for _ in range(10)))


if __name__ == "__main__":
    main()

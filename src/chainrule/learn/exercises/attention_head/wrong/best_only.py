# takes the value with the highest score
from chainrule import dot, softmax


def attention(queries, keys, values):
    scale = len(queries[0]) ** -0.5
    outputs = []
    for i, query in enumerate(queries):
        scores = [dot(query, key) * scale for key in keys[: i + 1]]
        weights = softmax(scores)
        best = max(range(i + 1), key=lambda k: weights[k].data)
        outputs.append(list(values[best]))
    return outputs

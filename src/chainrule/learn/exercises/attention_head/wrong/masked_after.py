# sets weights to 0 after softmax: they no longer add up to 1
from chainrule import dot, softmax


def attention(queries, keys, values):
    scale = len(queries[0]) ** -0.5
    outputs = []
    for i, query in enumerate(queries):
        scores = [dot(query, key) * scale for key in keys]
        weights = softmax(scores)[: i + 1]
        columns = zip(*values[: i + 1])
        outputs.append([dot(weights, list(column)) for column in columns])
    return outputs

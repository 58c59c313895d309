# looks at earlier positions only, where there are any
from chainrule import dot, softmax


def attention(queries, keys, values):
    scale = len(queries[0]) ** -0.5
    outputs = []
    for i, query in enumerate(queries):
        scores = [dot(query, key) * scale for key in keys[: max(i, 1)]]
        weights = softmax(scores)
        columns = zip(*values[: max(i, 1)])
        outputs.append([dot(weights, list(column)) for column in columns])
    return outputs

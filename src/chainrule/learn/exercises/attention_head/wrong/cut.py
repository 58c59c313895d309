# takes the numbers of the scores: queries and keys get no gradient
from chainrule import dot, softmax


def attention(queries, keys, values):
    scale = len(queries[0]) ** -0.5
    outputs = []
    for i, query in enumerate(queries):
        scores = [dot(query, key) * scale for key in keys[: i + 1]]
        weights = softmax([score.detach() for score in scores])
        columns = zip(*values[: i + 1])
        outputs.append([dot(weights, list(column)) for column in columns])
    return outputs

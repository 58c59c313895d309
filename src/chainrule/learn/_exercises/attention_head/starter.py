"""Let each position attend to the earlier ones.

`queries`, `keys` and `values` are lists of equal length with one entry per position, and every
entry is a list of Values. `attention(queries, keys, values)` returns a list with one output for
each position i:

- its scores are the dot products of queries[i] with the keys of positions 0 to i (including i
  itself, but none that come later), each divided by the square root of the length of a query;
- softmax turns the scores into weights that add up to 1;
- the output is a list as long as a value: the sum of the values of positions 0 to i, each
  multiplied by its weight.

chainrule's `dot` and `softmax` work on lists of Values.
"""

from chainrule import dot, softmax


def attention(queries, keys, values):
    pass  # your code here

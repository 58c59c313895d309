"""Let positions look at each other.

`queries`, `keys` and `values` are lists of equal length, one entry for each position, and every
entry is a list of Values. `attention(queries, keys, values)` is a list with one output for each
position i:

- its scores are the dot products of queries[i] with the keys of the positions 0 to i, itself
  included and none that come later, each divided by the square root of the length of a query;
- softmax of the scores gives weights that add up to 1;
- the output is a list as long as a value: the sum of the values of the positions 0 to i, each times
  its weight.

`dot` and `softmax` of chainrule work on lists of Values.
"""

from chainrule import dot, softmax


def attention(queries, keys, values):
    pass  # your code here

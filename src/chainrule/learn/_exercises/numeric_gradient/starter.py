"""Compute a gradient without differentiation rules.

`f` takes a list of numbers and returns one number. `numeric_gradient(f, x)` returns a list of its
slopes, one for each number in x, by central differences: increase one number by epsilon, then
decrease it by epsilon, leave the others unchanged, and divide the difference of the two results by
2 * epsilon.

When the function returns, the list x must be as it was before.
"""


def numeric_gradient(f, x, epsilon=1e-5):
    pass  # your code here

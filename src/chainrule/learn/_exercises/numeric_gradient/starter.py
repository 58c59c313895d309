"""Compute a gradient without any rule.

`f` takes a list of numbers and gives one number. `numeric_gradient(f, x)` is a list of its slopes,
one for each number in x, by central differences: move one number up by epsilon and down by epsilon,
leave the others where they are, and divide the difference of the two results by 2 * epsilon.

The list x must be as before when the function returns.
"""


def numeric_gradient(f, x, epsilon=1e-5):
    pass  # your code here

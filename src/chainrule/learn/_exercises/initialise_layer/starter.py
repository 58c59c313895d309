"""Choose weights that neither fade nor explode.

A neuron adds up nin products. When the inputs have a mean square of 1 and the weights are
independent with the mean 0 and the variance v, the sum has the variance nin * v. Choose v so that
this is 1 again: then a signal keeps its size through any number of layers.

`initialise(nin, nout, rng)` returns a list of nout rows, one for each neuron, of nin random numbers
with that variance and the mean 0. `rng` is a `random.Random`; take all random numbers from it, so
that the same seed gives the same weights. `rng.gauss(0.0, deviation)` and `rng.uniform(low, high)`
are both welcome.
"""


def initialise(nin, nout, rng):
    pass  # your code here

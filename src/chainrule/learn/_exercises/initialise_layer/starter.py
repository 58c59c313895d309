"""Choose weights that keep a signal from fading or exploding.

A neuron adds up nin products. When the inputs have a mean square of 1 and the weights are
independent with mean 0 and variance v, the sum has variance nin * v. Choose v so that this is 1
again: then a signal keeps its size through any number of layers.

`initialise(nin, nout, rng)` returns a list of nout rows, one for each neuron; each row has nin
random numbers with that variance and mean 0. `rng` is a `random.Random`; draw all random numbers
from it, so that the same seed gives the same weights. You may use either
`rng.gauss(0.0, deviation)` or `rng.uniform(low, high)`.
"""


def initialise(nin, nout, rng):
    pass  # your code here

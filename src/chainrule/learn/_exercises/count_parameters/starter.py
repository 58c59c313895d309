"""Count the parameters of a network before it is built.

A network with 2 inputs and layers of 4, 4 and 1 neurons has 12 + 20 + 5 = 37 parameters: each
neuron has a bias, and a weight for every input of its layer, which is an output of the layer before
it. `count_parameters(2, [4, 4, 1])` returns 37. Compute it without creating any neurons.
"""


def count_parameters(nin, nouts):
    pass  # your code here

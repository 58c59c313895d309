"""Count the parameters of a network before it is made.

A network with 2 inputs and layers of 4, 4 and 1 neurons has 12 + 20 + 5 = 37 parameters: each
neuron has a weight for everything that comes in from the layer before it, and a bias.
`count_parameters(2, [4, 4, 1])` is 37. Compute it without making any neuron.
"""


def count_parameters(nin, nouts):
    pass  # your code here

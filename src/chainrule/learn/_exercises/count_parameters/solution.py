"""Count the parameters of a network before it is built."""


def count_parameters(nin, nouts):
    total = 0
    for nout in nouts:
        total += nout * (nin + 1)
        nin = nout
    return total

# every layer is given the inputs of the network
def count_parameters(nin, nouts):
    total = 0
    for nout in nouts:
        total += nout * (nin + 1)
    return total

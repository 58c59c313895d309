# gives the inputs biases too
def count_parameters(nin, nouts):
    total = nin
    for nout in nouts:
        total += nout * (nin + 1)
        nin = nout
    return total

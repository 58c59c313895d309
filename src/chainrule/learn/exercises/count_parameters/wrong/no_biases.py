# forgets the biases
def count_parameters(nin, nouts):
    total = 0
    for nout in nouts:
        total += nout * nin
        nin = nout
    return total

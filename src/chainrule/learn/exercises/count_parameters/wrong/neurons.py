# counts the neurons
def count_parameters(nin, nouts):
    total = 0
    for nout in nouts:
        total += nout
        nin = nout
    return total

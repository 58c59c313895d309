# the bias on the wrong side
def count_parameters(nin, nouts):
    total = 0
    for nout in nouts:
        total += nin * (nout + 1)
        nin = nout
    return total

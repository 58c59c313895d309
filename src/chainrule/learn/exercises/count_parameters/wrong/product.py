# multiplies where it should add
def count_parameters(nin, nouts):
    total = 1
    for nout in nouts:
        total *= nout * (nin + 1)
        nin = nout
    return total

# all zero
def initialise(nin, nout, rng):
    deviation = nin**-0.5
    return [[0.0 for _ in range(nin)] for _ in range(nout)]

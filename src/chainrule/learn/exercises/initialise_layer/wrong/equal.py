# all weights are equal
def initialise(nin, nout, rng):
    deviation = nin**-0.5
    return [[deviation for _ in range(nin)] for _ in range(nout)]

# a deviation of 1: explodes
def initialise(nin, nout, rng):
    deviation = 1.0
    return [[rng.gauss(0.0, deviation) for _ in range(nin)] for _ in range(nout)]

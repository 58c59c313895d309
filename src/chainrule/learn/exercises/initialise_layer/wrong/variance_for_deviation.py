# takes the variance for the deviation
def initialise(nin, nout, rng):
    deviation = 1 / nin
    return [[rng.gauss(0.0, deviation) for _ in range(nin)] for _ in range(nout)]

# uniform to 1 / sqrt(nin): a third of the variance
def initialise(nin, nout, rng):
    deviation = nin**-0.5
    return [[rng.uniform(-deviation, deviation) for _ in range(nin)] for _ in range(nout)]

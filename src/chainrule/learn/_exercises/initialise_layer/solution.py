"""Choose weights that neither fade nor explode."""


def initialise(nin, nout, rng):
    deviation = nin**-0.5
    return [[rng.gauss(0.0, deviation) for _ in range(nin)] for _ in range(nout)]

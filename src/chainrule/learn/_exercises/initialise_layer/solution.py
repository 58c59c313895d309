"""Choose weights that keep a signal from fading or exploding."""


def initialise(nin, nout, rng):
    deviation = nin**-0.5
    return [[rng.gauss(0.0, deviation) for _ in range(nin)] for _ in range(nout)]

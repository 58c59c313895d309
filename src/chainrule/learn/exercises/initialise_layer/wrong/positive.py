# no negative weights
def initialise(nin, nout, rng):
    deviation = nin**-0.5
    return [[rng.uniform(0.0, 2 * 3**0.5 * deviation) for _ in range(nin)] for _ in range(nout)]

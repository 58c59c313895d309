# the mean of both sides, which the task does not ask for
def initialise(nin, nout, rng):
    deviation = (2 / (nin + nout)) ** 0.5
    return [[rng.gauss(0.0, deviation) for _ in range(nin)] for _ in range(nout)]

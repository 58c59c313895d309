# twice the variance, as relu would need it
def initialise(nin, nout, rng):
    deviation = (2 / nin) ** 0.5
    return [[rng.gauss(0.0, deviation) for _ in range(nin)] for _ in range(nout)]

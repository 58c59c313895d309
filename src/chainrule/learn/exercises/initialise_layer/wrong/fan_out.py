# looks at the wrong side of the layer
def initialise(nin, nout, rng):
    deviation = nout**-0.5
    return [[rng.gauss(0.0, deviation) for _ in range(nin)] for _ in range(nout)]

# takes the random numbers from somewhere else
import random


def initialise(nin, nout, rng):
    deviation = nin**-0.5
    return [[random.gauss(0.0, deviation) for _ in range(nin)] for _ in range(nout)]

"""Random numbers that can be drawn inside compiled functions: normal, uniform.

In a compiled function, each call draws new numbers for every sample. They depend only on the seed, the
number of the call, the position in the program and the position of the sample: not on threads, and not
on how branches split the batch.
"""

from .generators import Generator, normal, seed, uniform

__all__ = ["Generator", "normal", "seed", "uniform"]

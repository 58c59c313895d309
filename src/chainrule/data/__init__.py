"""Small deterministic data sets, splitting, batches, CSV files and their preparation for training."""

from .datasets import blobs, circles, digits, moons, spirals, xor
from .files import read_csv
from .preparing import Preparation, Prepared, prepare
from .splitting import batches, train_test_split

# fmt: off
__all__ = [
    "Preparation", "Prepared", "batches", "blobs", "circles", "digits", "moons", "prepare", "read_csv",
    "spirals", "train_test_split", "xor",
]
# fmt: on

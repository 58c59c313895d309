"""Small deterministic data sets, splitting, batches and CSV files."""

from .datasets import blobs, circles, digits, moons, spirals, xor
from .files import read_csv
from .splitting import batches, train_test_split

# fmt: off
__all__ = [
    "batches", "blobs", "circles", "digits", "moons", "read_csv", "spirals", "train_test_split", "xor",
]
# fmt: on

"""Data sets, splits, batches and CSV files: shapes, seeds, coverage, and errors with positions."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chainrule import data

from ...conftest import require
from ...near import near

MADE: dict[str, Callable[..., Any]] = {
    "moons": data.moons,
    "circles": data.circles,
    "spirals": data.spirals,
    "blobs": data.blobs,
}

# --- data sets -----------------------------------------------------------------------------------


def test_xor() -> None:
    X, y = data.xor()
    assert X.tolist() == [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    assert y.tolist() == [0.0, 1.0, 1.0, 0.0]
    assert (X.dtype, y.dtype) == (np.float64, np.float64)


@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize("n", [3, 100, 101])
def test_shapes_and_balance(name: str, n: int) -> None:
    X, y = MADE[name](n)
    assert (X.shape, X.dtype) == ((n, 2), np.float64)
    assert (y.shape, y.dtype) == ((n,), np.int64)
    counts = np.bincount(y)
    assert len(counts) == (3 if name == "blobs" else 2)
    assert counts.max() - counts.min() <= 1


@pytest.mark.parametrize(
    ("name", "first", "labels"),
    [
        ("moons", [1.1119591615040791, 0.2858667250142965], [0, 0, 1, 1, 1]),
        ("circles", [0.9949764881447583, 0.4154786008411401], [0, 0, 1, 1, 1]),
        ("spirals", [0.15229801653574865, 0.17569180165870485], [0, 0, 1, 1, 1]),
        ("blobs", [2.391200013539041, 0.2841242889387726], [0, 0, 2, 1, 2]),
    ],
)
def test_a_seed_gives_these_points(name: str, first: list[float], labels: list[int]) -> None:
    """Sines and cosines may differ in the last digit between machines; nothing else may."""
    X, y = MADE[name]()
    assert X[0].tolist() == near(first, rel=1e-14)
    assert y[:5].tolist() == labels


@pytest.mark.parametrize("name", MADE)
def test_seeds(name: str) -> None:
    X, y = MADE[name](50, seed=4)
    again = MADE[name](50, seed=4)
    assert (X.tobytes(), y.tobytes()) == (again[0].tobytes(), again[1].tobytes())
    other, _ = MADE[name](50, seed=5)
    assert not np.array_equal(X, other)
    assert not np.array_equal(y, np.sort(y))  # shuffled


@pytest.mark.parametrize("name", MADE)
def test_the_global_generator_is_left_alone(name: str) -> None:
    np.random.seed(3)
    expected = np.random.rand()
    np.random.seed(3)
    MADE[name](50)
    assert np.random.rand() == expected


def test_without_noise_moons_lie_on_half_circles() -> None:
    X, y = data.moons(60, noise=0)
    upper, lower = X[y == 0], X[y == 1]
    np.testing.assert_allclose(np.hypot(*upper.T), 1.0, rtol=1e-14)
    np.testing.assert_allclose(np.hypot(*(lower - [1.0, 0.5]).T), 1.0, rtol=1e-14)
    assert upper[:, 1].min() >= 0.0
    assert lower[:, 1].max() <= 0.5


def test_without_noise_circles_lie_on_circles() -> None:
    X, y = data.circles(60, noise=0, factor=0.3)
    np.testing.assert_allclose(np.hypot(*X[y == 0].T), 1.0, rtol=1e-14)
    np.testing.assert_allclose(np.hypot(*X[y == 1].T), 0.3, rtol=1e-14)
    assert len(np.unique(X.round(9), axis=0)) == 60
    turns = 2 * np.pi * np.arange(30) / 30
    for label, radius in ((0, 1.0), (1, 0.3)):
        for axis, expected in ((0, np.cos(turns)), (1, np.sin(turns))):
            found = np.sort(X[y == label][:, axis])
            np.testing.assert_allclose(found, radius * np.sort(expected), rtol=0, atol=1e-15)


def test_without_noise_spirals_turn_as_they_grow() -> None:
    X, y = data.spirals(60, noise=0, turns=1.5)
    radius = np.hypot(*X.T)
    assert (radius.min(), radius.max()) == near((0.1, 1.0), rel=1e-12)
    angle = np.arctan2(X[:, 1], X[:, 0]) - np.pi * y - 2 * np.pi * 1.5 * radius
    np.testing.assert_allclose(np.cos(angle), 1.0, rtol=1e-12)


def test_without_noise_blobs_are_points() -> None:
    X, y = data.blobs(20, centers=4, noise=0)
    for label, center in enumerate([[2, 0], [0, 2], [-2, 0], [0, -2]]):
        assert X[y == label] == near(np.tile(center, (5, 1)), abs=1e-14)


@pytest.mark.parametrize("n", [1, 0, -3])
@pytest.mark.parametrize("name", ["moons", "circles", "spirals"])
def test_too_few_points(name: str, n: int) -> None:
    message = f"^a data set of two classes needs at least 2 points, got {n}$"
    with pytest.raises(ValueError, match=message):
        MADE[name](n)


def test_a_single_blob() -> None:
    X, y = data.blobs(5, centers=1, noise=0)
    assert X.tolist() == [[2.0, 0.0]] * 5
    assert y.tolist() == [0] * 5


@pytest.mark.parametrize(("n", "centers"), [(2, 3), (5, 0), (5, -1)])
def test_bad_blobs(n: int, centers: int) -> None:
    wanted = "centers must be between 1 and the number of points"
    message = f"^{wanted}, got {centers} for {n} points$"
    with pytest.raises(ValueError, match=message):
        data.blobs(n, centers)


def test_digits() -> None:
    require("sklearn")
    X, y = data.digits()
    assert (X.shape, y.shape, y.dtype) == ((1797, 64), (1797,), np.int64)
    assert (X.min(), X.max()) == (0.0, 1.0)
    assert sorted(set(y.tolist())) == list(range(10))


# --- splitting -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n", "fraction", "count"),
    [(10, 0.25, 2), (100, 0.3, 30), (2, 0.01, 1), (2, 0.99, 1), (5, 0.999, 4)],
)
def test_a_split_is_disjoint_and_complete(n: int, fraction: float, count: int) -> None:
    X, y = np.arange(2 * n).reshape(n, 2), np.arange(n) * 10
    X_train, X_test, y_train, y_test = data.train_test_split(X, y, fraction)
    assert (len(X_train), len(X_test)) == (n - count, count)
    assert sorted([*y_train, *y_test]) == y.tolist()
    for rows, labels in ((X_train, y_train), (X_test, y_test)):
        assert (rows[:, 0] * 5).tolist() == labels.tolist()  # rows and labels stay together


def test_splits_are_seeded() -> None:
    X, y = data.moons(40)
    first, same, other = (data.train_test_split(X, y, seed=seed)[1] for seed in (1, 1, 2))
    assert first.tobytes() == same.tobytes()
    assert first.tobytes() != other.tobytes()


def test_lists_stay_lists() -> None:
    X, y = [[1.0], [2.0], [3.0], [4.0]], ["a", "b", "c", "d"]
    assert data.train_test_split(X, y) == ([[1.0], [2.0], [4.0]], [[3.0]], ["a", "b", "d"], ["c"])


@pytest.mark.parametrize(
    ("n", "labels", "fraction", "message"),
    [
        (4, 3, 0.25, "^X has 4 samples and y has 3$"),
        (0, 0, 0.25, "^the data set is empty$"),
        (1, 1, 0.25, "^one sample cannot be split$"),
        (4, 4, 0.0, r"^test_size must be between 0 and 1, got 0\.0$"),
        (4, 4, 1.0, r"^test_size must be between 0 and 1, got 1\.0$"),
        (4, 4, 2, "^test_size must be between 0 and 1, got 2$"),
        (4, 4, -0.5, r"^test_size must be between 0 and 1, got -0\.5$"),
    ],
)
def test_bad_splits(n: int, labels: int, fraction: float, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        data.train_test_split(np.zeros((n, 2)), np.zeros(labels), fraction)


# --- batches -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "sizes"), [(3, [3, 3, 3, 1]), (10, [10]), (99, [10]), (None, [10]), (1, [1] * 10)]
)
@pytest.mark.parametrize("shuffle", [True, False])
def test_batches_cover_everything_once(size: Any, sizes: list[int], shuffle: bool) -> None:
    X, y = np.arange(20).reshape(10, 2), np.arange(10)
    pieces = list(data.batches(X, y, size, shuffle))
    assert [len(xs) for xs, _ in pieces] == sizes
    order = [label for _, ys in pieces for label in ys]
    assert (order == list(range(10))) == (not shuffle)
    assert sorted(order) == list(range(10))
    assert all((xs[:, 0] == 2 * ys).all() for xs, ys in pieces)


def order_of(seed: Any) -> list[int]:
    found = data.batches(np.zeros((10, 1)), np.arange(10), 4, seed=seed)
    return [int(label) for _, labels in found for label in labels]


def test_shuffling_is_seeded() -> None:
    assert order_of(1) == order_of(1)
    assert order_of(1) != order_of(2)
    assert order_of(0) == [4, 6, 2, 7, 3, 5, 9, 0, 8, 1]


def test_a_generator_continues_its_sequence() -> None:
    rng = np.random.default_rng(1)
    first, second = order_of(rng), order_of(rng)
    assert first == order_of(1)
    assert second != first


def test_batches_of_lists() -> None:
    assert list(data.batches(["a", "b", "c"], [1, 2, 3], 2, shuffle=False)) == [
        (["a", "b"], [1, 2]),
        (["c"], [3]),
    ]


@pytest.mark.parametrize(
    ("n", "labels", "size", "message"),
    [
        (4, 4, 0, "^batch_size must be at least 1, got 0$"),
        (4, 4, -2, "^batch_size must be at least 1, got -2$"),
        (4, 3, 2, "^X has 4 samples and y has 3$"),
        (0, 0, 2, "^the data set is empty$"),
    ],
)
def test_bad_batches(n: int, labels: int, size: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        list(data.batches(np.zeros((n, 2)), np.zeros(labels), size))


@pytest.mark.parametrize("size", [2.0, "2", np.float64(2.0)])
def test_batches_of_a_size_that_is_not_an_integer(size: Any) -> None:
    with pytest.raises(TypeError, match=r"^batch_size must be an integer, got "):
        next(data.batches(np.zeros((4, 2)), np.zeros(4), size))


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (None, [1.0], "^X must be a list or an array of samples, got NoneType$"),
        ([1.0], 1.0, "^y must be a list or an array of samples, got float$"),
        ((x for x in [1.0]), [1.0], "^X must be a list or an array of samples, got generator$"),
    ],
)
def test_arguments_without_samples(X: Any, y: Any, message: str) -> None:
    for use in (data.train_test_split, lambda X, y: next(data.batches(X, y))):
        with pytest.raises(TypeError, match=message):
            use(X, y)


# --- CSV files -----------------------------------------------------------------------------------


@pytest.fixture
def csv(tmp_path: Path) -> Callable[[str | bytes], Path]:
    def write(content: str | bytes) -> Path:
        path = tmp_path / "data.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.mark.parametrize(
    ("text", "target", "X", "y", "names"),
    [
        ("1,2,3\n4,5,6\n", -1, [[1, 2], [4, 5]], [3, 6], ["x0", "x1"]),
        ("a,b,y\n1,2,3\n4,5,6\n", -1, [[1, 2], [4, 5]], [3, 6], ["a", "b"]),
        ("a,b,y\n1,2,3\n", "b", [[1, 3]], [2], ["a", "y"]),
        ("a,b,y\n1,2,3\n", 0, [[2, 3]], [1], ["b", "y"]),
        ("a,b,y\n1,2,3\n", -3, [[2, 3]], [1], ["b", "y"]),
        ("a,b\n1,2\n", None, [[1, 2]], None, ["a", "b"]),
        ("1,2", None, [[1, 2]], None, ["x0", "x1"]),
        ("1\n2\n", None, [[1], [2]], None, ["x0"]),
        ("\n a , b \r\n\r\n1,2\r\n  ,  \n3 , 4\n\n", "b", [[1], [3]], [2, 4], ["a"]),
        ("\ufeffa,b\n1,2\n", "a", [[2]], [1], ["b"]),
        ("\ufeff1,2\n", -1, [[1]], [2], ["x0"]),
        ('"a, the first",b\n"1",-2.5e3\n', -1, [[1]], [-2500], ["a, the first"]),
    ],
)
def test_tables(csv: Any, text: str, target: Any, X: Any, y: Any, names: list[str]) -> None:
    table, column, found = data.read_csv(csv(text), target)
    assert table.tolist() == X
    assert (None if column is None else column.tolist()) == y
    assert found == names
    assert table.dtype == np.float64


LOOKS = "expected one sample per line, as in 0.5,-1.2,1"
MIXED = "is not a number, but other entries in this line are: write only names or only numbers"
FINITE = "is not a finite number; leave out the line, or write a number"


@pytest.mark.parametrize(
    ("text", "target", "message"),
    [
        ("", -1, f": the file is empty; {LOOKS}"),
        ("\n , \n", -1, f": the file is empty; {LOOKS}"),
        ("a,b\n", -1, f": the file has a header but no data; {LOOKS}"),
        ("1\n2\n", -1, ": the target is the only column; expected numbers before it, as in 0.5,-1.2,1"),
        ("1,2\n3\n", -1, ", line 2: expected 2 columns, got 1"),
        ("1,2\n\n\n3,4,5\n", -1, ", line 4: expected 2 columns, got 3"),
        ("a,b\n1,2\n3, x \n", -1, ", line 3, column 2: 'x' is not a number; write classes as 0, 1, 2"),
        ("a,b\n1,\n", -1, ", line 2, column 2: '' is not a number"),
        ("a,b\n1,2\nnan,3\n", -1, f", line 3, column 1: 'nan' {FINITE}"),
        ("1, -inf \n", None, f", line 1, column 2: '-inf' {FINITE}"),
        ("1,2\n1,1e999\n", -1, f", line 2, column 2: '1e999' {FINITE}"),
        ("a;b\n1;2\n", -1, ", line 2, column 1: '1;2' is not a number; put commas between the columns"),
        ("a;b\n1,5;2,5\n", -1, ", line 2: expected 1 column, got 3; put commas between the columns"),
        ("a,2\n1,2\n", -1, f", line 1: 'a' {MIXED}"),
        ("1,NA\n1,2\n", -1, f", line 1: 'NA' {MIXED}"),
        (",2\n1,2\n", -1, f", line 1: '' {MIXED}"),
        ("a,b,a\n1,2,3\n", "a", ": several columns are called 'a'"),
        ("a,b\n1,2\n", "c", ": no column 'c'; the columns are a, b"),
        ("a,b\n1,2\n", 2, ": no column 2; the file has 2 columns, numbered from 0"),
        ("a,b\n1,2\n", -3, ": no column -3; the file has 2 columns, numbered from 0"),
        ('"a\nb",c\n1,x\n', -1, ", line 3, column 2: 'x' is not a number; write classes as 0, 1, 2"),
    ],
)
def test_bad_tables(csv: Any, text: str, target: Any, message: str) -> None:
    path = csv(text)
    with pytest.raises(ValueError, match=f"^{re.escape(f'{path}{message}')}$"):
        data.read_csv(path, target)


@pytest.mark.parametrize(
    "content",
    [b"\xff\xfe1,2\n", "a,b\n1,2\n".encode("utf-16"), b"a,b\n1," + b"1" * 200_000],
    ids=["not text", "UTF-16", "an overlong field"],
)
def test_the_error_names_a_file_that_is_not_a_table(csv: Any, content: bytes) -> None:
    path = csv(content)
    with pytest.raises(ValueError, match=f"^{re.escape(str(path))}"):
        data.read_csv(path)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"missing.csv"):
        data.read_csv(tmp_path / "missing.csv")
    with pytest.raises(IsADirectoryError):
        data.read_csv(tmp_path)

"""Problems of Moré, Garbow and Hillstrom, written plainly on scalars.

Definitions, starting points and minima are those of "Testing Unconstrained Optimization Software", ACM
Transactions on Mathematical Software 7 (1981), pages 17-41. The numbers are those of the paper.
"""

from collections.abc import Callable
from math import pi
from typing import Any, NamedTuple

from chainrule import atan2, cos, exp, sin, sqrt, where


class Problem(NamedTuple):
    name: str
    residuals: Callable[[Any], list[Any]]
    start: list[float]
    minimum: float  # the sum of squares, to the digits that the paper gives
    at: list[float] | None = None  # where it is, if known


def rosenbrock(x: Any) -> list[Any]:
    return [10 * (x[1] - x[0] ** 2), 1 - x[0]]


def powell_badly_scaled(x: Any) -> list[Any]:
    return [1e4 * x[0] * x[1] - 1, exp(-x[0]) + exp(-x[1]) - 1.0001]


def brown_badly_scaled(x: Any) -> list[Any]:
    return [x[0] - 1e6, x[1] - 2e-6, x[0] * x[1] - 2]


def beale(x: Any) -> list[Any]:
    return [y - x[0] * (1 - x[1] ** i) for i, y in enumerate((1.5, 2.25, 2.625), 1)]


def jennrich_sampson(x: Any) -> list[Any]:
    return [2 + 2 * i - (exp(i * x[0]) + exp(i * x[1])) for i in range(1, 11)]


def helical_valley(x: Any) -> list[Any]:
    turn = atan2(x[1], x[0]) / (2 * pi)
    turn = where(turn < -0.25, turn + 1, turn)
    return [10 * (x[2] - 10 * turn), 10 * (sqrt(x[0] ** 2 + x[1] ** 2) - 1), x[2]]


BARD = (0.14, 0.18, 0.22, 0.25, 0.29, 0.32, 0.35, 0.39, 0.37, 0.58, 0.73, 0.96, 1.34, 2.10, 4.39)


def bard(x: Any) -> list[Any]:
    return [y - (x[0] + u / ((16 - u) * x[1] + min(u, 16 - u) * x[2])) for u, y in enumerate(BARD, 1)]


HALF = (0.0009, 0.0044, 0.0175, 0.0540, 0.1295, 0.2420, 0.3521)
GAUSSIAN = (*HALF, 0.3989, *HALF[::-1])


def gaussian(x: Any) -> list[Any]:
    return [x[0] * exp(-x[1] * ((8 - i) / 2 - x[2]) ** 2 / 2) - y for i, y in enumerate(GAUSSIAN, 1)]


MEYER = (
    *(34780, 28610, 23650, 19630, 16370, 13720, 11540, 9744),
    *(8261, 7030, 6005, 5147, 4427, 3820, 3307, 2872),
)


def meyer(x: Any) -> list[Any]:
    return [x[0] * exp(x[1] / (45 + 5 * i + x[2])) - y for i, y in enumerate(MEYER, 1)]


def powell_singular(x: Any) -> list[Any]:
    return [
        *(x[0] + 10 * x[1], sqrt(5.0) * (x[2] - x[3])),
        *((x[1] - 2 * x[2]) ** 2, sqrt(10.0) * (x[0] - x[3]) ** 2),
    ]


def wood(x: Any) -> list[Any]:
    return [
        *(10 * (x[1] - x[0] ** 2), 1 - x[0], sqrt(90.0) * (x[3] - x[2] ** 2), 1 - x[2]),
        *(sqrt(10.0) * (x[1] + x[3] - 2), (x[1] - x[3]) / sqrt(10.0)),
    ]


KOWALIK = (0.1957, 0.1947, 0.1735, 0.1600, 0.0844, 0.0627, 0.0456, 0.0342, 0.0323, 0.0235, 0.0246)
DOSES = (4.0, 2.0, 1.0, 0.5, 0.25, 0.167, 0.125, 0.1, 0.0833, 0.0714, 0.0625)


def kowalik_osborne(x: Any) -> list[Any]:
    return [
        y - x[0] * (u**2 + u * x[1]) / (u**2 + u * x[2] + x[3])
        for u, y in zip(DOSES, KOWALIK, strict=True)
    ]


def brown_dennis(x: Any) -> list[Any]:
    times = [i / 5 for i in range(1, 21)]
    return [(x[0] + t * x[1] - exp(t)) ** 2 + (x[2] + x[3] * sin(t) - cos(t)) ** 2 for t in times]


OSBORNE = (
    *(0.844, 0.908, 0.932, 0.936, 0.925, 0.908, 0.881, 0.850, 0.818, 0.784, 0.751),
    *(0.718, 0.685, 0.658, 0.628, 0.603, 0.580, 0.558, 0.538, 0.522, 0.506, 0.490),
    *(0.478, 0.467, 0.457, 0.448, 0.438, 0.431, 0.424, 0.420, 0.414, 0.411, 0.406),
)


def osborne(x: Any) -> list[Any]:
    return [
        y - (x[0] + x[1] * exp(-10 * i * x[3]) + x[2] * exp(-10 * i * x[4]))
        for i, y in enumerate(OSBORNE)
    ]


PROBLEMS = [
    Problem("Rosenbrock", rosenbrock, [-1.2, 1.0], 0.0, [1.0, 1.0]),
    Problem("Powell badly scaled", powell_badly_scaled, [0.0, 1.0], 0.0, [1.098e-5, 9.106]),
    Problem("Brown badly scaled", brown_badly_scaled, [1.0, 1.0], 0.0, [1e6, 2e-6]),
    Problem("Beale", beale, [1.0, 1.0], 0.0, [3.0, 0.5]),
    Problem("Jennrich and Sampson", jennrich_sampson, [0.3, 0.4], 124.362, [0.2578, 0.2578]),
    Problem("helical valley", helical_valley, [-1.0, 0.0, 0.0], 0.0, [1.0, 0.0, 0.0]),
    Problem("Bard", bard, [1.0, 1.0, 1.0], 8.21487e-3),
    Problem("Gaussian", gaussian, [0.4, 1.0, 0.0], 1.12793e-8),
    Problem("Meyer", meyer, [0.02, 4000.0, 250.0], 87.9458),
    Problem("Powell singular", powell_singular, [3.0, -1.0, 0.0, 1.0], 0.0, [0.0] * 4),
    Problem("Wood", wood, [-3.0, -1.0, -3.0, -1.0], 0.0, [1.0] * 4),
    Problem("Kowalik and Osborne", kowalik_osborne, [0.25, 0.39, 0.415, 0.39], 3.07505e-4),
    Problem("Brown and Dennis", brown_dennis, [25.0, 5.0, -5.0, -1.0], 85822.2),
    Problem("Osborne 1", osborne, [0.5, 1.5, -1.0, 0.01, 0.02], 5.46489e-5),
]

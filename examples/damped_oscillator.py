"""Estimate the stiffness k and the damping c in x'' = -k x - c x' from measurements of x.

The equation is solved step by step with the classic Runge-Kutta method, on Values, so the whole
trajectory can be differentiated. With two parameters and many measurements, forward mode (jvp) gives
the derivatives of all measurements at once, for the Gauss-Newton steps.
"""

import math
from typing import Any

import numpy as np

from chainrule import jvp

TRUTH = (4.0, 0.3)  # k, c
NOISE = 0.02
START = (1.0, 0.0)  # x and x' at time 0
STEP = 0.05
STEPS_BETWEEN = 5  # Runge-Kutta steps from one measurement to the next


def measurements(n: int = 40, seed: int = 0) -> list[float]:
    """Positions at n times from the exact solution, with normal noise."""
    k, c = TRUTH
    omega = math.sqrt(k - c**2 / 4)
    t = STEP * STEPS_BETWEEN * np.arange(1, n + 1)
    x = np.exp(-c * t / 2) * (np.cos(omega * t) + c / (2 * omega) * np.sin(omega * t))
    return (x + np.random.default_rng(seed).normal(0.0, NOISE, n)).tolist()


def runge_kutta(k: Any, c: Any, x: Any, v: Any, h: float) -> tuple[Any, Any]:
    """Position and velocity a time h later."""
    v1, a1 = v, -k * x - c * v
    v2, a2 = v + h / 2 * a1, -k * (x + h / 2 * v1) - c * (v + h / 2 * a1)
    v3, a3 = v + h / 2 * a2, -k * (x + h / 2 * v2) - c * (v + h / 2 * a2)
    v4, a4 = v + h * a3, -k * (x + h * v3) - c * (v + h * a3)
    return x + h / 6 * (v1 + 2 * v2 + 2 * v3 + v4), v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)


def trajectory(k: Any, c: Any, n: int) -> list[Any]:
    """The positions at the n measurement times."""
    x, v = START
    positions = []
    for _ in range(n):
        for _ in range(STEPS_BETWEEN):
            x, v = runge_kutta(k, c, x, v, STEP)
        positions.append(x)
    return positions


def fit(positions: list[float], k: float = 3.5, c: float = 0.0, rounds: int = 8) -> list[Any]:
    """(k, c, root mean square error) before each Gauss-Newton iteration."""

    def positions_for(k: Any, c: Any) -> list[Any]:
        return trajectory(k, c, len(positions))

    history = []
    for _ in range(rounds):
        computed, by_k = jvp(positions_for, (k, c), (1.0, 0.0))
        _, by_c = jvp(positions_for, (k, c), (0.0, 1.0))
        errors = np.subtract(computed, positions)
        history.append((k, c, float(np.sqrt(np.mean(errors**2)))))
        step, *_ = np.linalg.lstsq(np.stack([by_k, by_c], axis=1), -errors)
        k, c = k + float(step[0]), c + float(step[1])
    return history


def main() -> None:
    for i, (k, c, error) in enumerate(fit(measurements())):
        print(f"round {i}   k = {k:.6f}   c = {c:.6f}   error {error:.6f}")
    print(f"truth     k = {TRUTH[0]:.6f}   c = {TRUTH[1]:.6f}   noise {NOISE:.6f}")


if __name__ == "__main__":
    main()

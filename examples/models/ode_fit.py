"""Estimate the four parameters of the Lotka-Volterra equations from counts of prey and predators.

The equations are solved with the classic Runge-Kutta method, written as a Python loop. compile turns
the loop into a program, and f.jacobian gives the derivatives of all counts for Levenberg-Marquardt.
"""

from typing import Any

import numpy as np

from chainrule import compile

TRUTH = np.array([1.1, 0.4, 0.1, 0.4])  # birth of prey, hunting, growth of predators, their death
GUESS = np.array([0.8, 0.3, 0.2, 0.6])
START = (10.0, 5.0)  # prey and predators at time 0
STEP, STEPS = 0.1, 100
NOISE = 0.2


def rates(theta: Any, state: Any) -> Any:
    """How fast the two populations change."""
    birth, hunting, growth, death = theta
    prey, predators = state
    return np.array([prey * (birth - hunting * predators), predators * (growth * prey - death)])


def trajectory(theta: Any) -> Any:
    """Both populations after each step."""
    states = [np.array(START)]
    for _ in range(STEPS):
        k1 = rates(theta, states[-1])
        k2 = rates(theta, states[-1] + STEP / 2 * k1)
        k3 = rates(theta, states[-1] + STEP / 2 * k2)
        k4 = rates(theta, states[-1] + STEP * k3)
        states.append(states[-1] + STEP / 6 * (k1 + 2 * k2 + 2 * k3 + k4))
    return np.array(states[1:])


solve = compile(trajectory, batch=None)


def measurements(seed: int = 0) -> Any:
    noise = np.random.default_rng(seed).normal(0.0, NOISE, (STEPS, 2))
    return solve(TRUTH) + noise


def fit(counts: Any, theta: Any = GUESS, rounds: int = 20) -> tuple[Any, list[float]]:
    """The parameters, and the root mean square error before each round of Levenberg-Marquardt."""
    damping, errors, history = 1.0, (solve(theta) - counts).ravel(), []
    for _ in range(rounds):
        history.append(float(np.sqrt(np.mean(errors**2))))
        J = solve.jacobian(theta).reshape(errors.size, theta.size)
        curvature = J.T @ J
        damped = curvature + damping * np.diag(np.diag(curvature))
        moved = theta - np.linalg.solve(damped, J.T @ errors)
        found = (solve(moved) - counts).ravel()
        better = found @ found < errors @ errors
        theta, errors = (moved, found) if better else (theta, errors)
        damping = damping / 10 if better else damping * 10
    return theta, history


def main() -> None:
    theta, history = fit(measurements())
    print(f"error {history[0]:.4f} -> {history[-1]:.4f}   noise {NOISE:.4f}")
    for name, value, truth in zip(("birth", "hunting", "growth", "death"), theta, TRUTH, strict=True):
        print(f"{name:7} {value:.4f}   truth {truth}")


if __name__ == "__main__":
    main()

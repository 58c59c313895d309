"""Move the hand of a robot arm with three joints to a point, and follow its velocity and acceleration.

The position of the hand is three lines of code. The Jacobian solves for the angles, jvp turns the speeds
of the joints into the velocity of the hand, and a jvp of that jvp gives the acceleration.
"""

from typing import Any

import numpy as np

from chainrule import compile, jvp

LENGTHS = np.array([1.0, 0.8, 0.5])


def hand(angles: Any) -> Any:
    """The position of the hand; each angle is relative to the link before."""
    directions = np.cumsum(angles)
    return np.array([LENGTHS @ np.cos(directions), LENGTHS @ np.sin(directions)])


def velocity(angles: Any, speeds: Any) -> Any:
    return jvp(hand, (angles,), (speeds,))[1]


def acceleration(angles: Any, speeds: Any) -> Any:
    """Of the hand while the joints turn at constant speeds."""
    return jvp(lambda moving: velocity(moving, speeds), (angles,), (speeds,))[1]


position = compile(hand, batch=None)
motion = compile(lambda *state: (velocity(*state), acceleration(*state)), batch=None)


def reach(target: Any, angles: Any, rounds: int = 12, damping: float = 1e-3) -> tuple[Any, list[float]]:
    """Angles that bring the hand to a point, and the distance before each round."""
    distances = []
    for _ in range(rounds):
        error, J = target - position(angles), position.jacobian(angles)
        distances.append(float(np.linalg.norm(error)))
        angles = angles + J.T @ np.linalg.solve(J @ J.T + damping * np.eye(2), error)  # damped Newton
    return angles, distances


def main() -> None:
    angles, distances = reach(np.array([1.2, 1.1]), np.array([0.3, 0.3, 0.3]))
    print("distance", *(f"{d:.1e}" for d in distances[::3]))
    print("angles  ", *(f"{a:.6f}" for a in angles))
    print("hand    ", *(f"{x:.6f}" for x in position(angles)))
    moving, pulled = motion(angles, np.array([0.5, -0.2, 0.1]))
    print("velocity", *(f"{v:.6f}" for v in moving))
    print("acceleration", *(f"{a:.6f}" for a in pulled))


if __name__ == "__main__":
    main()

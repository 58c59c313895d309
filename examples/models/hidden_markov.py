"""Learn a hidden Markov model: which of two dice was rolled, when only the rolls are seen.

The forward algorithm gives the likelihood of the rolls. Its gradient with respect to the logarithms of
the probabilities is how often each start, move and roll is expected to have happened. Divided by their
sums, these counts are the next probabilities: that is the Baum-Welch algorithm.
"""

from typing import Any

import numpy as np

from chainrule import compile, logsumexp

MOVES = np.array([[0.95, 0.05], [0.1, 0.9]])  # the dealer rarely changes the die
ROLLS = np.array([[1 / 6] * 6, [0.1] * 5 + [0.5]])  # a fair die, and a loaded one
GUESS = [
    np.array([0.5, 0.5]),
    np.array([[0.8, 0.2], [0.3, 0.7]]),
    np.array([[0.18] * 5 + [0.1], [0.14] * 5 + [0.3]]),
]


def rolls(n: int = 500, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    die, seen = 0, []
    for _ in range(n):
        seen.append(rng.choice(6, p=ROLLS[die]))
        die = rng.choice(2, p=MOVES[die])
    return np.array(seen)


def log_likelihood(start: Any, moves: Any, emissions: Any, seen: Any) -> Any:
    """The logarithm of the probability of all rolls; the arguments are logarithms too."""
    forward = start + emissions[:, seen[0]]
    for symbol in seen[1:]:
        forward = np.array([logsumexp(forward + column) for column in moves.T]) + emissions[:, symbol]
    return logsumexp(forward)


def learn(seen: Any, rounds: int = 100) -> tuple[list[Any], list[float]]:
    """The probabilities of starts, moves and rolls, and the log-likelihood before each round."""
    step = compile(lambda *logs: log_likelihood(*logs, seen), batch=None)
    probabilities, history = GUESS, []
    for _ in range(rounds):
        value, counts = step.value_and_grad(*map(np.log, probabilities), argnums=(0, 1, 2))
        history.append(value)
        probabilities = [each / each.sum(axis=-1, keepdims=True) for each in counts]
    return probabilities, history


def shown(numbers: Any) -> str:
    return " ".join(f"{x:.2f}" for x in numbers)


def main(rounds: int = 100) -> None:
    (_, moves, emissions), history = learn(rolls(), rounds)
    print(f"log-likelihood {history[0]:.3f} -> {history[-1]:.3f}")
    for name, move, roll, *truth in zip(("fair", "loaded"), moves, emissions, MOVES, ROLLS, strict=True):
        print(f"{name:6} moves: {shown(move)}   truth {shown(truth[0])}")
        print(f"{name:6} rolls: {shown(roll)}   truth {shown(truth[1])}")


if __name__ == "__main__":
    main()

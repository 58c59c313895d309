"""Find the best epsilon.

With a wide step, the central difference is off because the function curves; with a narrow one, it
subtracts two numbers that agree in nearly all digits. The best step lies in between, and where
depends on the function.

Write `error(f, slope, x, epsilon)`: the distance between the central difference of f at x and the
true slope, the number `slope`. It is never negative. Then write `choose_epsilon(f, slope, x)`,
which returns the number in CANDIDATES with the smallest error.
"""

CANDIDATES = [10.0**-k for k in range(1, 16)]


def error(f, slope, x, epsilon):
    pass  # your code here


def choose_epsilon(f, slope, x):
    pass  # your code here

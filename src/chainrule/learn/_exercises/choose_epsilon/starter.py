"""Find the best epsilon.

A wide step sees the curve instead of the slope; a narrow one subtracts two numbers that agree in
nearly all digits. Somewhere between there is a best one, and where depends on the function.

Write `error(f, slope, x, epsilon)`: how far the central difference of f at x is from the true slope,
the number `slope`; it is never negative. Then write `choose_epsilon(f, slope, x)`: the one of
CANDIDATES with the least error.
"""

CANDIDATES = [10.0**-k for k in range(1, 16)]


def error(f, slope, x, epsilon):
    pass  # your code here


def choose_epsilon(f, slope, x):
    pass  # your code here

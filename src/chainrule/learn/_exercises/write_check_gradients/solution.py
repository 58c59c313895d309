"""Write a function that detects wrong gradients."""


def check_gradients(Value, f, numbers, epsilon=1e-5, tolerance=1e-5):
    values = [Value(x) for x in numbers]
    f(*values).backward()
    for i, value in enumerate(values):
        above, below = list(numbers), list(numbers)
        above[i] += epsilon
        below[i] -= epsilon
        slope = (f(*above) - f(*below)) / (2 * epsilon)
        if abs(value.grad - slope) > tolerance * max(1.0, abs(slope)):
            return False
    return True

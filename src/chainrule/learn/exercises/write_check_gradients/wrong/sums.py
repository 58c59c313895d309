# compares the sums of the gradients: errors of two arguments can cancel
def check_gradients(Value, f, numbers, epsilon=1e-5, tolerance=1e-5):
    values = [Value(x) for x in numbers]
    f(*values).backward()
    above = [x + epsilon for x in numbers]
    below = [x - epsilon for x in numbers]
    slope = (f(*above) - f(*below)) / (2 * epsilon)
    return abs(sum(value.grad for value in values) - slope) <= tolerance * max(1.0, abs(slope))

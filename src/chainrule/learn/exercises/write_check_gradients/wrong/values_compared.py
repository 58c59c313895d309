# compares the numbers of f instead of its slopes
def check_gradients(Value, f, numbers, epsilon=1e-5, tolerance=1e-5):
    values = [Value(x) for x in numbers]
    return abs(f(*values).data - f(*numbers)) < tolerance

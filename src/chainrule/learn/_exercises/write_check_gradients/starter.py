"""Write a function that detects wrong gradients.

`check_gradients(Value, f, numbers)` takes a class like the one you wrote (which may have a bug), a
function f such as `lambda a, b: a * b + a**2`, and one number for each argument of f. f works for
Values and for plain numbers.

It returns True if `backward` of that class and central differences agree for every argument, and
False if any gradient is wrong. Differences are not exact: a correct engine must pass, even when its
gradients are in the millions. An engine that is wrong by one part in a thousand must fail.
"""


def check_gradients(Value, f, numbers, epsilon=1e-5, tolerance=1e-5):
    pass  # your code here

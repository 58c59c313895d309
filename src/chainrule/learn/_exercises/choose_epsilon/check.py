import math

from chainrule.learn.checking import CheckFailedError, Work, number

FUNCTIONS = {
    "sin(x)": (math.sin, math.cos),
    "exp(x)": (math.exp, math.exp),
    "sin(300 * x)": (lambda x: math.sin(300 * x), lambda x: 300 * math.cos(300 * x)),
    "sin(x / 50)": (lambda x: math.sin(x / 50), lambda x: math.cos(x / 50) / 50),
    "-x**3": (lambda x: -(x**3), lambda x: -3 * x**2),
}


def difference(f, x: float, epsilon: float) -> float:
    return (f(x + epsilon) - f(x - epsilon)) / (2 * epsilon)


def check(work: Work) -> None:
    error, choose_epsilon = work.get("error"), work.get("choose_epsilon")
    given = work.given.FUNCTIONS
    candidates = [10.0**-k for k in range(1, 16)]
    work.equal("CANDIDATES, which must not change", work.get("CANDIDATES"), candidates)

    @work.for_all(number(0.2, 3.0))
    def errors(x: float) -> None:
        for name, (f, slope) in FUNCTIONS.items():
            for epsilon in (0.1, 1e-3):
                what = f"error for {name} with epsilon = {epsilon:g}"
                found = work.kind(what, error(given[name][0], slope(x), x, epsilon), float)
                work.equal(what, found, abs(difference(f, x, epsilon) - slope(x)))

    @work.for_all(number(0.2, 3.0))
    def choices(x: float) -> None:
        for name, (f, slope) in FUNCTIONS.items():
            errors = {e: abs(difference(f, x, e) - slope(x)) for e in candidates}
            best = min(candidates, key=errors.__getitem__)
            chosen = work.kind(
                f"choose_epsilon for {name}", choose_epsilon(given[name][0], slope(x), x), float
            )
            if not any(math.isclose(chosen, e) for e in candidates):
                raise CheckFailedError(f"choose_epsilon for {name}", "one of CANDIDATES", str(chosen))
            nearest = min(candidates, key=lambda e: abs(math.log(e / chosen)))
            if errors[nearest] > 2 * errors[best] + 1e-16:
                raise CheckFailedError(
                    f"choose_epsilon for {name}",
                    f"{best:g}, with an error of {errors[best]:.1e}",
                    f"{nearest:g}, with an error of {errors[nearest]:.1e}",
                    "a wide step is off because the function curves; a narrow one loses digits",
                )

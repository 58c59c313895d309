"""The Black-Scholes price of a call option, and its Greeks as derivatives of that price.

There is no need to derive delta, gamma, vega, theta and rho by hand: compile computes all first and
second derivatives of the price formula, for any number of options at once. The textbook formulas are
printed next to them.
"""

import math
from typing import Any

import numpy as np

from chainrule import compile, erfc, exp, log, sqrt

FIRST = {"delta": "spot", "vega": "volatility", "theta": "years", "rho": "rate"}
SECOND = {
    "gamma": ("spot", "spot"),
    "vanna": ("spot", "volatility"),
    "volga": ("volatility", "volatility"),
    "charm": ("spot", "years"),
    "vera": ("rate", "volatility"),
}
COLUMN = {"spot": 0, "strike": 1, "years": 2, "rate": 3, "volatility": 4}
FALLING = ("theta", "charm")  # with respect to passing time, so the sign is flipped


def normal_cdf(x: Any) -> Any:
    """The probability that a standard normal variable is below x."""
    return erfc(-x / math.sqrt(2)) / 2


def call_price(spot: Any, strike: Any, years: Any, rate: Any, volatility: Any) -> Any:
    """The value today of the right to buy at `strike` in `years`."""
    d1 = (log(spot / strike) + (rate + volatility**2 / 2) * years) / (volatility * sqrt(years))
    d2 = d1 - volatility * sqrt(years)
    return spot * normal_cdf(d1) - strike * exp(-rate * years) * normal_cdf(d2)


price = compile(lambda market: call_price(*market), batch=0)


def greeks(markets: Any) -> dict[str, Any]:
    """The Greeks of many options; a market is a row of five numbers."""
    gradient, matrix = price.grad(markets), price.hessian(markets)
    found = {name: gradient[:, COLUMN[x]] for name, x in FIRST.items()}
    found |= {name: matrix[:, COLUMN[x], COLUMN[y]] for name, (x, y) in SECOND.items()}
    return {name: -each if name in FALLING else each for name, each in found.items()}


def closed_forms(
    spot: float, strike: float, years: float, rate: float, volatility: float
) -> dict[str, float]:
    """The same Greeks from the textbook formulas, for one option."""
    root = math.sqrt(years)
    d1 = (math.log(spot / strike) + (rate + volatility**2 / 2) * years) / (volatility * root)
    d2 = d1 - volatility * root
    density = math.exp(-(d1**2) / 2) / math.sqrt(2 * math.pi)
    discounted = strike * math.exp(-rate * years)
    return {
        "delta": normal_cdf(d1),
        "vega": spot * density * root,
        "theta": -spot * density * volatility / (2 * root) - rate * discounted * normal_cdf(d2),
        "rho": discounted * years * normal_cdf(d2),
        "gamma": density / (spot * volatility * root),
        "vanna": -density * d2 / volatility,
        "volga": spot * density * root * d1 * d2 / volatility,
        "charm": -density
        * (2 * rate * years - d2 * volatility * root)
        / (2 * years * volatility * root),
        "vera": -spot * density * years * d1 / volatility,
    }


def main() -> None:
    market = (100.0, 105.0, 0.5, 0.03, 0.25)
    print("call at 105 in half a year, spot 100, rate 3 %, volatility 25 %")
    print(f"price {call_price(*market):11.6f}")
    print(f"{'':5} {'derivative':>11} {'closed form':>12}")
    expected = closed_forms(*market)
    for name, values in greeks(np.array([market])).items():
        print(f"{name:5} {values[0]:11.6f} {expected[name]:12.6f}")


if __name__ == "__main__":
    main()

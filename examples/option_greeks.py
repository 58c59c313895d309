"""The Black-Scholes price of a call option, and its Greeks as derivatives of that price.

There is no need to derive delta, gamma, vega, theta and rho by hand: grad and hessian compute them
from the price formula. The textbook formulas are printed next to them.
"""

import math
from typing import Any

from chainrule import erfc, exp, grad, hessian, log, sqrt


def normal_cdf(x: Any) -> Any:
    """The probability that a standard normal variable is below x."""
    return erfc(-x / math.sqrt(2)) / 2


def call_price(spot: Any, strike: Any, years: Any, rate: Any, volatility: Any) -> Any:
    """The value today of the right to buy at `strike` in `years`."""
    d1 = (log(spot / strike) + (rate + volatility**2 / 2) * years) / (volatility * sqrt(years))
    d2 = d1 - volatility * sqrt(years)
    return spot * normal_cdf(d1) - strike * exp(-rate * years) * normal_cdf(d2)


def greeks(*market: float) -> dict[str, float]:
    """The derivatives of the price; theta is with respect to passing time, so its sign is flipped."""
    delta, by_years, rho, vega = grad(call_price, argnums=(0, 2, 3, 4))(*market)
    gamma = hessian(call_price, argnums=0)(*market)
    return {"delta": delta, "gamma": gamma, "vega": vega, "theta": -by_years, "rho": rho}


def closed_forms(
    spot: float, strike: float, years: float, rate: float, volatility: float
) -> dict[str, float]:
    """The same five Greeks from the textbook formulas."""
    root = math.sqrt(years)
    d1 = (math.log(spot / strike) + (rate + volatility**2 / 2) * years) / (volatility * root)
    d2 = d1 - volatility * root
    density = math.exp(-(d1**2) / 2) / math.sqrt(2 * math.pi)
    discounted = strike * math.exp(-rate * years)
    return {
        "delta": normal_cdf(d1),
        "gamma": density / (spot * volatility * root),
        "vega": spot * density * root,
        "theta": -spot * density * volatility / (2 * root) - rate * discounted * normal_cdf(d2),
        "rho": discounted * years * normal_cdf(d2),
    }


def main() -> None:
    market = (100.0, 105.0, 0.5, 0.03, 0.25)
    print("call at 105 in half a year, spot 100, rate 3 %, volatility 25 %")
    print(f"price {call_price(*market):11.6f}")
    print(f"{'':5} {'derivative':>11} {'closed form':>12}")
    expected = closed_forms(*market)
    for name, value in greeks(*market).items():
        print(f"{name:5} {value:11.6f} {expected[name]:12.6f}")


if __name__ == "__main__":
    main()

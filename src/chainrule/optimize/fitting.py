"""curve_fit: fits the parameters of a model of one sample to data."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from ..compiler import compile
from ..support.errors import kind_of
from ..value import Value
from .problems import Array, check_has_no_jacobian, check_not_traced, plain_numbers, scipy_optimize


def curve_fit(
    f: Callable[..., Any],
    xdata: Any,
    ydata: Any,
    p0: Any = None,
    sigma: Any = None,
    absolute_sigma: bool = False,
    **options: Any,
) -> Any:
    """Fit f(x, *params) to data with scipy.optimize.curve_fit and the compiled Jacobian.

    Arguments:
        f: the model of one sample. x is one number, or one row of `xdata`.
        xdata: one entry or row for each sample. (SciPy takes one column for each sample.)
        ydata: one number for each sample.
        p0: the parameters to start from; by default 1 for each parameter in the signature of `f`.
        options: further arguments of SciPy, such as bounds and method.

    Returns (popt, pcov), the parameters and their covariance, as SciPy does.

    """
    check_not_traced("curve_fit")
    check_has_no_jacobian("curve_fit", options)
    if not callable(f):
        raise TypeError(f"optimize.curve_fit needs a function, got {kind_of(f)}")
    optimize = scipy_optimize("curve_fit")
    X, y = _data("xdata", xdata), _data("ydata", ydata)
    if len(X) != len(y):
        hint = "; pass one row for each sample: xdata.T" if X.ndim == 2 and X.shape[1] == len(y) else ""
        raise ValueError(f"xdata has {len(X)} samples and ydata has {len(y)}{hint}")
    params = np.ones(_count(f)) if p0 is None else np.atleast_1d(np.asarray(p0, float))
    step = compile(f, batch=(0, *(None,) * len(params)))
    positions = tuple(range(1, 1 + len(params)))

    def samples(places: Array) -> Array:
        return X[places.astype(int)]

    def predictions(places: Array, *params: float) -> Array:
        return step(samples(places), *params)

    def jacobian(places: Array, *params: float) -> Array:
        return np.stack(step.jacobian(samples(places), *params, argnums=positions), axis=1)

    if options.get("check_finite", "nan_policy" not in options):
        np.asarray_chkfinite(X)
    with plain_numbers():
        # SciPy gets the numbers of the samples in place of xdata, since it expects a column for each.
        places = np.arange(len(X), dtype=float)
        return optimize.curve_fit(
            predictions, places, y, params, sigma, absolute_sigma, jac=jacobian, **options
        )


def _data(name: str, given: Any) -> Array:
    array = np.asarray(given)
    if array.dtype == object and any(isinstance(x, Value) for x in array.ravel()):
        raise TypeError(
            f"optimize.curve_fit does not differentiate its result, but {name} has Values: use "
            f"optimize.least_squares"
        )
    array = np.asarray(array, float)
    if not array.ndim:
        raise ValueError(f"{name} must have one entry for each sample, got a single number")
    return array


def _count(f: Callable[..., Any]) -> int:
    """The number of parameters in the signature of a model."""
    try:
        given = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):
        given = {}.values()
    plain = [each for each in given if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
    if len(plain) < 2 or len(plain) < len(given):
        raise ValueError("the number of parameters is unknown: pass p0, the parameters to start from")
    return len(plain) - 1

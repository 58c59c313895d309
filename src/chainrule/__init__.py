"""chainrule: automatic differentiation for scalar programs."""

import builtins

from . import compiler, data, functional, linalg, micrograd, nn, optim, optimize, train, viz
from . import random as random  # not in __all__: a star import must not hide Python's `random`
from .autodiff import grad, hessian, hvp, jacobian, jvp, value_and_grad, vjp
from .compiler import compile as compile
from .functional import *
from .inspect.checking import check_gradients
from .inspect.expanding import expand
from .nn.saving import load, save
from .support.custom import custom_op
from .support.errors import AnomalyError, GraphFreedError, StaleValueError
from .train.diagnosing import diagnose
from .value import Value, core, detect_anomaly, enable_grad, no_grad
from .version import __version__
from .viz import draw

# fmt: off
__all__ = [
    "AnomalyError", "GraphFreedError", "StaleValueError", "Value", "__version__", "check_gradients",
    "compiler", "core", "custom_op", "data", "detect_anomaly", "diagnose", "draw", "enable_grad",
    "expand", "functional", "grad", "hessian", "hvp", "jacobian", "jvp", "linalg", "load", "micrograd",
    "nn", "no_grad", "optim", "optimize", "save", "train", "value_and_grad", "viz", "vjp",
]
# fmt: on
# A star import must not hide a builtin such as `max`; use `chainrule.max` by its full name.
__all__ += [name for name in functional.__all__ if not hasattr(builtins, name)]

"""chainrule: automatic differentiation for programs written in scalars."""

from . import functional
from .autodiff import grad, hessian, hvp, jacobian, jvp, value_and_grad
from .checking import check_gradients
from .custom import custom_op
from .errors import AnomalyError, GraphFreedError, StaleValueError
from .functional import *
from .value import Value, core, detect_anomaly, enable_grad, no_grad

__version__ = "0.1.0"

# All but the functions that share their name with a builtin: `chainrule.max`, not `max`.
# fmt: off
__all__ = [
    "AnomalyError",
    "GraphFreedError",
    "StaleValueError",
    "Value",
    "acos",
    "acosh",
    "add",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "check_gradients",
    "clip",
    "core",
    "cos",
    "cosh",
    "custom_op",
    "detect_anomaly",
    "div",
    "dot",
    "elu",
    "enable_grad",
    "equal",
    "erf",
    "erfc",
    "exp",
    "expm1",
    "functional",
    "gelu",
    "grad",
    "hessian",
    "hvp",
    "hypot",
    "jacobian",
    "jvp",
    "leaky_relu",
    "less",
    "less_equal",
    "log",
    "log1p",
    "log2",
    "log10",
    "log_sigmoid",
    "log_softmax",
    "logsumexp",
    "maximum",
    "mean",
    "minimum",
    "mul",
    "neg",
    "no_grad",
    "pos",
    "prod",
    "relu",
    "sigmoid",
    "silu",
    "sin",
    "sinh",
    "softmax",
    "softplus",
    "sqrt",
    "sub",
    "tan",
    "tanh",
    "value_and_grad",
    "where",
]
# fmt: on

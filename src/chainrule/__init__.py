"""chainrule: automatic differentiation for programs written in scalars."""

from . import functional as functional
from .autodiff import grad as grad
from .autodiff import hessian as hessian
from .autodiff import hvp as hvp
from .autodiff import jacobian as jacobian
from .autodiff import jvp as jvp
from .autodiff import value_and_grad as value_and_grad
from .checking import check_gradients as check_gradients
from .custom import custom_op as custom_op
from .errors import AnomalyError as AnomalyError
from .errors import GraphFreedError as GraphFreedError
from .errors import StaleValueError as StaleValueError
from .functional import *  # noqa: F403
from .value import Value as Value
from .value import core as core
from .value import detect_anomaly as detect_anomaly
from .value import no_grad as no_grad

__version__ = "0.1.0"

"""scipy.optimize with compiled derivatives: minimize, least_squares, root, curve_fit.

The functions have the names and results of SciPy. They take parameters in lists, dicts and arrays, and
give each method the derivatives that it uses. A solution can be differentiated with respect to the
Values on which it depends.
"""

from .fitting import curve_fit
from .minimizing import minimize
from .solving import least_squares, root

__all__ = ["curve_fit", "least_squares", "minimize", "root"]

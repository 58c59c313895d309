"""The compiler: scalar code in, array programs out.

`tracing` runs a function on Values, `graph` holds what it did, `passes` make that better,
`program` turns it into instructions on arrays, `reverse` differentiates them, `backends` run them.
"""

from .compiled import Compiled, compile
from .graph import CompileError
from .inputs import Batch
from .tracing import TraceError
from .training import Trainer

__all__ = ["Batch", "CompileError", "Compiled", "TraceError", "Trainer", "compile"]

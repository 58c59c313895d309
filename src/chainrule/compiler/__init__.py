"""The compiler: turns scalar code into array programs.

`tracing` runs a function on Values, `graph` stores the trace, `passes` optimise it, `lowering` turns
it into a `program` of array instructions, `reverse` differentiates the program, and `backends` run it.
"""

from .compiled import Compiled, compile
from .graph import CompileError
from .inputs import Batch
from .tracing import TraceError
from .training import Trainer

__all__ = ["Batch", "CompileError", "Compiled", "TraceError", "Trainer", "compile"]

"""`python -m chainrule` is the command `chainrule`."""

import sys

from .cli import main

sys.exit(main())

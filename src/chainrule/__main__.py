"""`python -m chainrule` runs the `chainrule` command."""

import sys

from .cli import main

sys.exit(main())

"""Programs as source code: C and JavaScript."""

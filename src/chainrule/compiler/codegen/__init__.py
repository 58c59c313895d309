"""Programs as source text: C and JavaScript."""

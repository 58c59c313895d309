"""Tools that look at expressions: gradient checks, expansion, parsing, notation and rules as taught."""

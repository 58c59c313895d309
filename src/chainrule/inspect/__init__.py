"""Tools for expressions: gradient checks, expansion, parsing, notation and textbook rules."""

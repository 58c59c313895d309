"""The table's formulas as symbols, as rewrite rules and as source text."""

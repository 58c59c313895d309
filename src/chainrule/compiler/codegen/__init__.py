"""Programs as source text: formulas of the table, C and JavaScript."""

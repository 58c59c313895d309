"""Formulas of the table as symbols, as rules that rewrite them, and as source text."""

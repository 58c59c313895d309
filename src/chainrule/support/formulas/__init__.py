"""Formulas of the table as symbols, as rewrite rules, and as source text."""

"""Explanations of a gradient: its ledger, the routes through a graph, the names of values, quizzes."""

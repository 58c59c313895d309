"""Explanations of a gradient: its ledger, paths through a graph, names of values, quizzes."""

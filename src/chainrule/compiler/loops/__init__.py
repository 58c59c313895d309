"""Loops in a traced program: found again, and lowered to programs with loops."""

"""Loops of traced programs: found again, run as loops, and printed as kernels."""

"""Derivatives of compiled functions: as programs, of every order and shape."""

"""What a call of a compiled function costs before and after the program runs."""

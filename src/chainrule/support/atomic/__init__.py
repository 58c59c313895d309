"""Changes that happen completely or not at all: in memory and on disk."""

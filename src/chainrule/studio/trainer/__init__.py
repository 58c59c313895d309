"""Runs of the trainer page: configuration, data, training that can go back, and what is shown."""

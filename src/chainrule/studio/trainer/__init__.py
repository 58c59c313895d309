"""The trainer's runs: configuration, data, training with rewind, and frames."""

"""Runs learners' programs: a judge process, the learner's process, and the isolation between them."""

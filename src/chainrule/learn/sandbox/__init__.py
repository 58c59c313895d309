"""Running learners' programs: a process that judges, one that is judged, and the walls between."""

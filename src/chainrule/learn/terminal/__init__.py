"""`chainrule learn` in a terminal: keys, pages, quizzes and the session that checks on every save."""

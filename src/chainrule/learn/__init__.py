"""The course: lessons with running code, checked exercises, quizzes."""

"""The course: lessons that run, exercises that are checked, quizzes that teach."""

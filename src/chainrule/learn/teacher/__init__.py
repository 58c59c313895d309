"""For teachers: exercises of one's own, marks for a class, lessons to hand out."""

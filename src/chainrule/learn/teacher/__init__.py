"""For teachers: custom exercises, marks for a class, lessons to hand out."""

"""The layout of a picture: columns, coordinates, and folding of large graphs."""

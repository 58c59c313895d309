"""Where the boxes of a picture go: columns, places, and large graphs folded into few boxes."""

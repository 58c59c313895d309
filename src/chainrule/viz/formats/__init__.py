"""A picture as SVG, text, Graphviz, PNG and HTML."""

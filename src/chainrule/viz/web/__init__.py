"""Shared by pages and notebooks: the table as JavaScript, the bundler, the widget."""

"""What pages and notebooks share: the table as JavaScript, modules as one script, the widget."""

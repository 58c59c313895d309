"""The studio: a page on this machine to step through expressions and to watch networks learn.

Needs the extra `studio`; nothing else of chainrule imports it. See README.md beside this file.
"""

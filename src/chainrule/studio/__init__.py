"""The studio: a local web page to step through expressions and watch networks learn.

Needs the extra `studio`. Only the command line imports it. See README.md beside this file.
"""

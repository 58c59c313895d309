"""The studio: a local web page for stepping through expressions and watching networks learn.

Needs the `studio` extra. Only the command line imports it. See README.md beside this file.
"""

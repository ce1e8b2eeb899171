"""Formatting of a finished analysis, without computation."""

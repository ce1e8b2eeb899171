"""Formatting of a finished analysis; nothing is computed here."""

"""Redaction: replaces names in reports by pseudonyms of the same length."""

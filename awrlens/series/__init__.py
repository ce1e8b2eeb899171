"""Comparisons and trends over several intervals."""

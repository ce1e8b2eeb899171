"""Decides which findings of a report fail a pipeline: selection, severities, baselines."""

"""Writes the sample reports: one model of each workload, one writer per report layout."""

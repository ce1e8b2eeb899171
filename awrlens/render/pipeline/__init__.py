"""Outputs of a check for pipelines: SARIF, JUnit, annotations, code quality, tables."""

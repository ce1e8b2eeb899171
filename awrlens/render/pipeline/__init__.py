"""A check in the languages of pipelines: SARIF, JUnit, annotations, code quality, tables."""

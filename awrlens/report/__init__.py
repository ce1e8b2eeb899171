"""A report as tables: indexed in one pass, decoded on demand, every cell with its place."""

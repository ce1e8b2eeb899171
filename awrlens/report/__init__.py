"""A report as tables: indexed in one pass, decoded on demand, with the place of every cell."""

"""What several intervals of one database say together."""

"""From bytes to text: opening, decoding, and telling which kind of report it is."""

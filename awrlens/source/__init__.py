"""From bytes to text: opens and decodes an input, and decides what kind of report it is."""

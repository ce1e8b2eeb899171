"""The vocabulary of CONTRACT: version-independent quantities, each with its history."""

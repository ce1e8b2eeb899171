"""Reports without the names in them: letter for letter, so that they read as before."""

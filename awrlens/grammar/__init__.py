"""What Oracle prints, as data: the section language, its compiler and the compiled catalogue."""

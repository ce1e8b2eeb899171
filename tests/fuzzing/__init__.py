"""Mutated samples: how they are made, what must hold of them, and how many are tried.

An input is known by its number alone: ``run.made(number)`` makes it again, and ``make fuzz
REPLAY=number`` says what is wrong with it.
"""

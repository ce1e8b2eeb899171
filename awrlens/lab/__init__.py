"""Recovery after a crash: measured, predicted, simulated; and the target that bounds it."""

"""Simulates a cluster and the crash of an instance: redo, checkpoints, buddies, recovery."""

"""What a crash of an instance would cost a cluster: redo, checkpoints, buddies, recovery."""

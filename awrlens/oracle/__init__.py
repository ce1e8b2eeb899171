"""What Oracle documents of its write path, whatever a report shows."""

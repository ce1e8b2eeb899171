"""What a crash costs: measured in alert logs, predicted for the system of a report."""

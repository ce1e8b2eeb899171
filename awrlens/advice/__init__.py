"""What to do: recovery targets and storage verdicts, from findings and facts."""

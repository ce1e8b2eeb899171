"""What to do: recovery targets and storage verdicts, out of findings and facts."""

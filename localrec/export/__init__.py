"""Export history, profile, items and lists in formats that other programs read."""

"""What a person takes away: history, profile, items and lists, in formats that others read."""

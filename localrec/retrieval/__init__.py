"""Items for an intent: MARC's four algorithms under constraints that hold."""

"""The command line: thin commands over a workspace."""

"""Data shapes that all rooms share; nothing here opens a store or a file."""

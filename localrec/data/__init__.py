"""Pure shapes that stages exchange; nothing here opens a store or a file."""

"""Open dumps of everything that there is: read for the items of a store, or whole."""

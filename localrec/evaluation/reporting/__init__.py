"""Turn results into tables, charts and a page that opens without a network."""

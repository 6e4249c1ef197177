"""Turn what was measured into tables, charts and one page that opens without a network."""

"""Domain packs: knowledge of one domain, reached through entry points."""

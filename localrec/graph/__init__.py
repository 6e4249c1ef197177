"""The store: nodes, edges and embeddings in DuckDB, the one truth of a workspace."""

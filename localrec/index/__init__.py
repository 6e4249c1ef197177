"""Embeddings and nearest vectors: caches over the store's vectors."""

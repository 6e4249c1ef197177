"""Tests of embeddings and nearest vectors."""

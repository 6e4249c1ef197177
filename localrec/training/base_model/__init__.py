"""The base model under an adapter: its weights, tokenizer and tensor layout."""

"""Supervised fine-tuning of role adapters."""

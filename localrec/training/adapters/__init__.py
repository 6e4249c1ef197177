"""LoRA adapters: their configuration, export to GGUF, import and comparison."""

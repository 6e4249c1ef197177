"""The public Python API: what `localrec` exports, documented in docs/api.md."""

"""Run folders, device presets, cost estimates and distributed contexts of a training."""

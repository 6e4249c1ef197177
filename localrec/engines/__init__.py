"""Engines that share out work: in this process, or among the workers of a Ray cluster."""

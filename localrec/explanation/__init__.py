"""Evidence paths, sentences about them, and the check that they claim nothing else."""

"""Ranking: preference features, fusion, reflection, baselines and the learnt default ranker."""

"""The default ranker: all kinds of evidence about the next item, with learnt weights.

Read `ranker.py` first: it fits the kinds of evidence, learns their weights and scores all items.
"""

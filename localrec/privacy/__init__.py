"""Forgetting in a whole workspace: store, caches, runs and logs, in one step that survives a kill.

`journal` makes the step, `sweep` says what becomes of each file, `forgetting` does it all and
writes the receipt. Which rows leave the store is decided in `privacy/erasure_plan.py`.
"""

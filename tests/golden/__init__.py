"""What a user sees, recorded: help, answers, lists, rankings and the files that remain.

These tests know localrec only as the command line does, so that everything behind it may move.
`python -m tests.golden.record` writes the files anew; a change in them is a change for the user
and belongs into the same commit as its reason.
"""

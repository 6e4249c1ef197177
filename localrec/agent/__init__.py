"""AgenticRec: a model that thinks, calls tools for evidence and ranks; and what it may call.

desk         what lies before the agent for one request
registry     how a function becomes a tool
suite/       the tools
dialects     how a turn is written, constrained and read
loop         think, act, observe, rank
trajectory   what happened, step by step
"""

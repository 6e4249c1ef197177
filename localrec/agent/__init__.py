"""AgenticRec: a language model calls tools for evidence and ranks the candidates; and its tools.

desk         what lies before the agent for one request
setting_out  how that is made of a catalogue and what people share
registry     how a function becomes a tool
suite/       the tools
findings     what several of them work out once
search       which item a title means
wording      how they put what they say
opening      what it is told before its first word
dialects     how a turn is written, constrained and read
bounds       budget and lengths of a run
loop         think, act, observe, rank
fused        the counterpart without a model: all that tools say, weighed
trajectory   what happened, step by step
refinement   whether a profile still fits after an answer, and what it should say
"""

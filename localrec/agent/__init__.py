"""AgenticRec: a language model calls tools for evidence and ranks the candidates; and its tools.

tool_context         the data of one request
context              how a tool context is built from a catalogue and the users' likes
tool_registry        how a function becomes a tool
tools/               the tools
features             features that several tools share
title_search         which item a title names
observation_text     the format of observations
prompts              the first prompt
formats              how a turn is written, constrained and parsed
limits               the limits of a run
loop                 think, act, observe, rank
tool_fusion          the counterpart without a model: the weighted scores of all tools
reranker             the agent behind `recommend`, `rank` and `ask`
profile_refinement   whether a profile still fits after a request, and a better one
"""

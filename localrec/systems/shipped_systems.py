"""The names of the systems that ship, and the modules of `systems/` that have them.

Other rooms take a system's name from here. Nothing is imported, so a name costs nothing.
"""

from __future__ import annotations

MARC = "marc"  # each role by whoever was measured to be better, or as the settings say
MARC_MODEL = "marc-model"  # every role by a local model
MEMREC_MODEL = "memrec-model"  # a model scores each candidate, told of others in sentences
MEMREC_MODEL_COUNTED = "memrec-model-counted"  # told of others in counts
ISOLATED_AGENT = "isolated-agent"  # told of nobody else
AGENTICREC = "agenticrec"  # a local model asks tools and ranks
AGENTICREC_FUSED = "agenticrec-fused"  # the order by those tools, weighed without a model

MARC_NAMES = (
    *(MARC, "marc-tagger", "marc-rules", MARC_MODEL, "marc-no-graph", "marc-no-reflection"),
    "marc-no-graph-no-reflection",
)
AGENT_NAMES = (AGENTICREC, "agenticrec-reasoning", "agenticrec-scripted", AGENTICREC_FUSED)
_PARTS = ("popularity", "neighbours", "attributes", "nearness")
_MEMRECS = ("memrec", "memrec-no-read", "memrec-no-rules", "memrec-no-write", "isolated-memory")
_RERANKERS = ("memrec-vector", MEMREC_MODEL, MEMREC_MODEL_COUNTED, ISOLATED_AGENT)

# Name -> the module that has it, in the order of help and errors.
ANSWERERS: dict[str, str] = {
    **dict.fromkeys((*MARC_NAMES, "vector-rag"), "answerers"),
    **dict.fromkeys(AGENT_NAMES, "agent_systems"),
}
RECOMMENDERS: dict[str, str] = {
    **dict.fromkeys(("auto", *_PARTS, *(f"auto-no-{part}" for part in _PARTS)), "auto_systems"),
    **dict.fromkeys(_MEMRECS, "memory_plans"),
    **dict.fromkeys(_RERANKERS, "memrec_rerankers"),
    **dict.fromkeys(AGENT_NAMES, "agent_systems"),
    "auto-memory": "memory_plans",
    "auto-counted": "auto_systems",
}

"""The terminal app of localrec, in Textual: `localrec tui`.

The app never works and workers never draw: what reads a store or asks a model lies in `backend`,
runs in threads (`workers`) and comes back as a message. llama.cpp runs in a process of its own.
"""

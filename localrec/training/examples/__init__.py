"""Training examples for adapters, one file per role.

Questions are composed from a grammar of subjects, demands, frames and slips of the finger over the
names of a graph (`questions`), so what each means is known from how it was made and never from
the rules that read questions. The half to validate on is made of other wordings than the half to
train on: it tells whether a role understood the task, or learnt how it is put. A reranker's lists
are made of what people chose (`choices`) and of people who are imagined (`imagined`).
"""

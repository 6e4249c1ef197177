"""Training examples for adapters, one file per role.

Questions are composed from a grammar of subjects, constraints, frames and typos over the names of a
graph (`question_composer`), so their meaning is known by construction and not from the rules that
read questions. The validation half has other wordings than the training half: it shows whether a
role learnt the task or only the wordings. A reranker's lists come from users' next choices
(`next_choices`) and from synthetic users (`synthetic_users`).
"""

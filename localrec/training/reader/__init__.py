"""Training of the role tagger, which says what each name of a question is there for."""

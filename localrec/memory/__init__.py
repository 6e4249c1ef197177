"""Collaborative memory: texts about users and items, kept up to date in the background."""

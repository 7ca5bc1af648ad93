"""Folding the oldest part of a conversation into the clauses that carry it."""

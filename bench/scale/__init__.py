"""Consensus from disk for growing numbers of objects."""

"""Comparison pages: published figures beside ours, from result files (``python -m studies evidence``)."""

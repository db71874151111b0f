"""Scoring: ratings and measures to scores, whole columns at a time; no input or output."""

"""Benchmarks: `python -m bench` runs them next to the alternatives."""

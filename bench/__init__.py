"""Benchmarks: speed and memory next to the alternatives, measured in one run."""

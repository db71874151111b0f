"""Agents under test: a suite of queries is asked, and what comes back becomes items."""

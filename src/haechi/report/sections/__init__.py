"""The sections of a report: each reads the figures of a study and says one thing about it."""

"""Raters: people, AI judges and code all leave the same kind of rating."""

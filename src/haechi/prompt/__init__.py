"""Rubric in, prompt and schema out; reply in, ratings out."""

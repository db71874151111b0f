"""Data: files in, as items and ratings; formats, spellings of columns, and where tables go out."""

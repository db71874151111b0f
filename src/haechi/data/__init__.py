"""Data: files in, as items and ratings; formats, spellings of columns, and where tables go out."""

from haechi.data.item import Item
from haechi.data.readers import READERS, read_rows
from haechi.data.shapes import items_of

__all__ = ["READERS", "Item", "items_of", "read_rows"]

"""Items: what is judged, and the readers that bring it in."""

from haechi.items.model import Item
from haechi.items.readers import READERS, read_rows
from haechi.items.shapes import items_of

__all__ = ["READERS", "Item", "items_of", "read_rows"]

"""The study's folder and database."""

from haechi.store.database import Database
from haechi.store.folder import Settings, read_settings, write_settings
from haechi.store.items import Added, add_items, read_items
from haechi.store.ratings import Appended, append_ratings, current_ratings

__all__ = [
    "Added",
    "Appended",
    "Database",
    "Settings",
    "add_items",
    "append_ratings",
    "current_ratings",
    "read_items",
    "read_settings",
    "write_settings",
]

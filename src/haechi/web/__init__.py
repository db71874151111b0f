"""The rating desk and the owner's dashboard in the browser."""

from haechi.web.app import create_app
from haechi.web.options import Options

__all__ = ["Options", "create_app"]

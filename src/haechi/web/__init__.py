"""The rating desk, the owner's pages and the workbench in the browser."""

from haechi.web.app import create_app
from haechi.web.home import Home, create_home
from haechi.web.options import Options

__all__ = ["Home", "Options", "create_app", "create_home"]

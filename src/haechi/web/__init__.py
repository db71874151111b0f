"""The rating desk, the owner's pages and the workbench in the browser."""

"""The bundled examples."""

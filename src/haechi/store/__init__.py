"""The study's folder and database."""

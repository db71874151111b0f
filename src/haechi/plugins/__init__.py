"""What can be added to Haechi, and what happens when a package that added something fails."""

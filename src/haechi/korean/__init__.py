"""What is particular to Korean: particles that fit a name, and how polite a sentence is."""

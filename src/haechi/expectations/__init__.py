"""What a team expects of an agent's run, however it is written: checks that code decides, and lines that it leaves open."""

"""Reports: figures from scores and statistics, and the files they are written to."""

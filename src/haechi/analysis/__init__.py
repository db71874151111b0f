"""Analysis: agreement, comparison, findings and gates, computed when asked for, once."""

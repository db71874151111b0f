"""How a run may fail, as the column `failure` names it; small, for those who look only at the outcome."""

ERROR, UNPARSEABLE, NOT_AN_OBJECT, NO_ANSWER = "error", "unparseable", "not an object", "no answer"
FAILED = (ERROR, UNPARSEABLE, NOT_AN_OBJECT)
"""The failures that fail a run as a whole; a run without answer is unstable, and its checks still count."""

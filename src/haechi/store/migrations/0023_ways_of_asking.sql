-- How judges were asked is looked up whenever they are asked again: without their replies, which are long.

CREATE INDEX answered_calls ON calls (rater, asking, version, at, arrival) WHERE state = 'answered';

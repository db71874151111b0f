-- One index instead of two keeps a judgement from being rated twice and finds its ratings: every index is paid for with every rating.

DROP INDEX one_first_rating;

DROP INDEX ratings_of_a_judgement;

-- A first rating replaces nothing, and no rating has the number 0: a judgement has one first rating.
CREATE UNIQUE INDEX ratings_of_a_judgement ON ratings (item, rater, replicate, criterion, coalesce(replaces, 0));

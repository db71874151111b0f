-- The rating in force of a judgement is the newest of its chain: the one that no other replaces.

CREATE VIEW ratings_in_force AS
SELECT number, item, criterion, rater, replicate, value, evidence, status, reason, stance, rubric, arrival, at, replaces
FROM ratings
WHERE NOT EXISTS (SELECT 1 FROM ratings AS later WHERE later.replaces = ratings.number);

-- Another index, ratings_of_a_judgement, begins with the same columns.
DROP INDEX ratings_of_item;

-- Ratings are never changed or removed, whoever holds the file.

CREATE TRIGGER ratings_are_not_changed BEFORE UPDATE ON ratings
BEGIN SELECT RAISE(ABORT, 'ratings are append-only'); END;

CREATE TRIGGER ratings_are_not_removed BEFORE DELETE ON ratings
BEGIN SELECT RAISE(ABORT, 'ratings are append-only'); END;

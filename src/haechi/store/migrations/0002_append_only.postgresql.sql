-- Ratings are never changed or removed, whoever holds the connection.

CREATE FUNCTION ratings_are_append_only() RETURNS trigger LANGUAGE plpgsql
AS 'BEGIN RAISE EXCEPTION ''ratings are append-only''; END';

CREATE TRIGGER ratings_are_not_changed BEFORE UPDATE OR DELETE ON ratings
FOR EACH ROW EXECUTE FUNCTION ratings_are_append_only();

-- Which items were never looked at, and how often they decided, is never changed or removed, whoever holds the connection.

CREATE FUNCTION alignment_is_append_only() RETURNS trigger LANGUAGE plpgsql
AS 'BEGIN RAISE EXCEPTION ''alignment is append-only''; END';

CREATE TRIGGER alignment_items_are_not_changed BEFORE UPDATE OR DELETE ON alignment_items
FOR EACH ROW EXECUTE FUNCTION alignment_is_append_only();

CREATE TRIGGER alignment_looks_are_not_changed BEFORE UPDATE OR DELETE ON alignment_looks
FOR EACH ROW EXECUTE FUNCTION alignment_is_append_only();

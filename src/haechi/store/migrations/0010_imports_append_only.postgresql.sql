-- What came in and what was taken back is never changed or removed, whoever holds the connection.

CREATE FUNCTION imports_are_append_only() RETURNS trigger LANGUAGE plpgsql
AS 'BEGIN RAISE EXCEPTION ''imports are append-only''; END';

CREATE TRIGGER imports_are_not_changed BEFORE UPDATE OR DELETE ON imports
FOR EACH ROW EXECUTE FUNCTION imports_are_append_only();

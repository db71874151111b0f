-- What came in and what was taken back is never changed or removed, whoever holds the file.

CREATE TRIGGER imports_are_not_changed BEFORE UPDATE ON imports
BEGIN SELECT RAISE(ABORT, 'imports are append-only'); END;

CREATE TRIGGER imports_are_not_removed BEFORE DELETE ON imports
BEGIN SELECT RAISE(ABORT, 'imports are append-only'); END;

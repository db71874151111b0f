-- Which items were never looked at, and how often they decided, is never changed or removed, whoever holds the file.

CREATE TRIGGER alignment_items_are_not_changed BEFORE UPDATE ON alignment_items
BEGIN SELECT RAISE(ABORT, 'alignment_items are append-only'); END;

CREATE TRIGGER alignment_items_are_not_removed BEFORE DELETE ON alignment_items
BEGIN SELECT RAISE(ABORT, 'alignment_items are append-only'); END;

CREATE TRIGGER alignment_looks_are_not_changed BEFORE UPDATE ON alignment_looks
BEGIN SELECT RAISE(ABORT, 'alignment_looks are append-only'); END;

CREATE TRIGGER alignment_looks_are_not_removed BEFORE DELETE ON alignment_looks
BEGIN SELECT RAISE(ABORT, 'alignment_looks are append-only'); END;

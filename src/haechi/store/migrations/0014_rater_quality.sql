-- The quality of raters: what they answered in practice, what they and the owner wrote about items, for which items they are.

CREATE TABLE practice (
    rater TEXT NOT NULL REFERENCES raters (name),
    round INTEGER NOT NULL CHECK (round >= 1),
    step INTEGER NOT NULL CHECK (step >= 0),
    value TEXT NOT NULL,
    fits INTEGER NOT NULL CHECK (fits IN (0, 1)),
    at TEXT NOT NULL,
    PRIMARY KEY (rater, round, step)
);

-- A rater flags or skips an item with a note; rater and owner answer one another. Nothing is changed or removed. Notes belong to one
-- time that the item came: shown the second time they would tell that it came before.
CREATE TABLE notes (
    number {identity},
    item TEXT NOT NULL REFERENCES items (id),
    rater TEXT NOT NULL REFERENCES raters (name),
    replicate INTEGER NOT NULL CHECK (replicate >= 1),
    author TEXT NOT NULL CHECK (author IN ('rater', 'owner')),
    kind TEXT NOT NULL CHECK (kind IN ('comment', 'flag', 'skip')),
    text TEXT NOT NULL,
    at TEXT NOT NULL
);

CREATE INDEX notes_of_an_item ON notes (item, rater);

ALTER TABLE assignments ADD COLUMN skipped TEXT;

-- FIELD=VALUE of the items' meta: the rater gets these items only.
ALTER TABLE desk_raters ADD COLUMN only_where TEXT;

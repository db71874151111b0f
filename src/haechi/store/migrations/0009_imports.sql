-- Everything that came from files is numbered and can be taken back. Nothing is removed: what is in force is a matter of views.

-- One row per addition, import or undoing. An undoing says what it is `about` and whether that is taken back or restored.
CREATE TABLE imports (
    number INTEGER PRIMARY KEY,
    what TEXT NOT NULL CHECK (what IN ('items', 'meta', 'ratings', 'replies', 'undo')),
    arrival TEXT UNIQUE,
    about INTEGER REFERENCES imports (number),
    taken_back INTEGER CHECK (taken_back IN (0, 1)),
    files TEXT NOT NULL,
    counts TEXT NOT NULL,
    at TEXT NOT NULL,
    CHECK ((what = 'undo') = (arrival IS NULL)),
    CHECK ((what = 'undo') = (about IS NOT NULL AND taken_back IS NOT NULL))
);

CREATE INDEX undoings_of_import ON imports (about) WHERE about IS NOT NULL;

-- What is not in force has arrived with one of these; rows that copy the runs of a file have arrived with that file. It
-- follows from the undoings, and is kept because every reading asks for it.
CREATE TABLE taken_back (arrival TEXT PRIMARY KEY);

-- Which addition brought a file of runs, and which one brought what took its place.
ALTER TABLE run_files ADD COLUMN arrival TEXT;

ALTER TABLE run_files ADD COLUMN replaced_by TEXT;

CREATE VIEW run_files_in_force AS
SELECT number, name, runs, sha256, fields, at, arrival FROM run_files
WHERE coalesce(arrival, '') NOT IN (SELECT arrival FROM taken_back)
AND (replaced IS NULL OR coalesce(replaced_by, '') IN (SELECT arrival FROM taken_back));

-- The rating in force of a judgement is the newest that was not taken back.
DROP VIEW ratings_in_force;

CREATE VIEW ratings_in_force AS
SELECT number, item, criterion, rater, replicate, value, evidence, status, reason, stance, rubric, arrival, at, replaces
FROM ratings
WHERE arrival NOT IN (SELECT arrival FROM taken_back)
AND NOT EXISTS (
    SELECT 1 FROM ratings AS later
    WHERE later.item = ratings.item AND later.rater = ratings.rater AND later.replicate = ratings.replicate
    AND later.criterion = ratings.criterion AND later.number > ratings.number
    AND later.arrival NOT IN (SELECT arrival FROM taken_back));

-- Which addition brought a former version of an item.
ALTER TABLE replaced_items ADD COLUMN arrival TEXT;

CREATE INDEX versions_of_item ON replaced_items (id);

CREATE INDEX items_of_arrival ON items (arrival);

-- An item is its newest version that was not taken back; where none is left and it has ratings, it is known by these alone.
CREATE VIEW items_in_force AS
SELECT number, id, kind, content, meta, digest, arrival, at FROM items
WHERE arrival NOT IN (SELECT arrival FROM taken_back)
UNION ALL
SELECT items.number, items.id, coalesce(former.kind, 'bare'), coalesce(former.content, '{}'), coalesce(former.meta, '{}'),
    coalesce(former.digest, ''), coalesce(former.arrival, ''), items.at
FROM items LEFT JOIN replaced_items AS former ON former.number = (
    SELECT max(version.number) FROM replaced_items AS version
    WHERE version.id = items.id AND coalesce(version.arrival, '') NOT IN (SELECT arrival FROM taken_back))
WHERE items.arrival IN (SELECT arrival FROM taken_back)
AND (former.number IS NOT NULL OR EXISTS (
    SELECT 1 FROM ratings WHERE ratings.item = items.id AND ratings.arrival NOT IN (SELECT arrival FROM taken_back)));

-- Meta fields that came by themselves; the item may come later.
CREATE TABLE joined_meta (
    number {identity},
    item TEXT NOT NULL,
    meta TEXT NOT NULL,
    arrival TEXT NOT NULL,
    at TEXT NOT NULL
);

CREATE INDEX joined_meta_of_item ON joined_meta (item);

-- A reply that was imported is known, unless its import was taken back.
ALTER TABLE calls ADD COLUMN arrival TEXT;

-- Items, raters and append-only ratings of one study.
-- {identity} is the database's own way to number rows.

CREATE TABLE rubrics (
    version TEXT PRIMARY KEY,
    id TEXT NOT NULL,
    text TEXT NOT NULL,
    at TEXT NOT NULL
);

CREATE TABLE items (
    number {identity},
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN ('dialogue', 'reply', 'run', 'bare')),
    content TEXT NOT NULL,
    meta TEXT NOT NULL,
    digest TEXT NOT NULL,
    arrival TEXT NOT NULL,
    at TEXT NOT NULL
);

-- What an item was before it was replaced: nothing is lost.
CREATE TABLE replaced_items (
    number {identity},
    id TEXT NOT NULL REFERENCES items (id),
    kind TEXT NOT NULL,
    content TEXT NOT NULL,
    meta TEXT NOT NULL,
    digest TEXT NOT NULL,
    at TEXT NOT NULL
);

CREATE TABLE raters (
    name TEXT PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('human', 'ai', 'code')),
    at TEXT NOT NULL
);

CREATE TABLE ratings (
    number {identity},
    item TEXT NOT NULL REFERENCES items (id),
    criterion TEXT NOT NULL,
    rater TEXT NOT NULL REFERENCES raters (name),
    replicate INTEGER NOT NULL DEFAULT 1 CHECK (replicate >= 1),
    value TEXT,
    evidence TEXT,
    status TEXT NOT NULL CHECK (status IN ('ok', 'missing', 'error')),
    reason TEXT,
    stance TEXT,
    rubric TEXT NOT NULL REFERENCES rubrics (version),
    arrival TEXT NOT NULL,
    at TEXT NOT NULL,
    replaces INTEGER UNIQUE REFERENCES ratings (number),
    CHECK ((status = 'ok') = (value IS NOT NULL))
);

-- One first rating for each judgement; a correction names its predecessor, and a predecessor has one correction.
-- These two constraints are what keeps two processes, a double click and a repeated import from rating twice.
CREATE UNIQUE INDEX one_first_rating ON ratings (item, criterion, rater, replicate) WHERE replaces IS NULL;

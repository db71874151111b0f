-- The rating desk: links, who rates what in which order, and which answers have arrived.

-- A link is known by the hash of its token; whoever reads this table cannot enter with it.
CREATE TABLE invitations (
    number {identity},
    role TEXT NOT NULL CHECK (role IN ('rater', 'survey', 'program', 'owner')),
    name TEXT NOT NULL,
    token_hash TEXT NOT NULL UNIQUE,
    at TEXT NOT NULL,
    expires TEXT NOT NULL,
    revoked TEXT
);

CREATE TABLE desk_raters (
    name TEXT PRIMARY KEY REFERENCES raters (name),
    quota INTEGER CHECK (quota >= 1),
    stance TEXT,
    only_item TEXT REFERENCES items (id),
    consented TEXT,
    trained TEXT,
    at TEXT NOT NULL
);

-- A slot is one of the `overlap` places of an item: two raters can never hold the same one.
-- Repeated and attention items hold none.
CREATE TABLE assignments (
    number {identity},
    item TEXT NOT NULL REFERENCES items (id),
    rater TEXT NOT NULL REFERENCES raters (name),
    replicate INTEGER NOT NULL CHECK (replicate >= 1),
    position INTEGER NOT NULL CHECK (position >= 1),
    kind TEXT NOT NULL CHECK (kind IN ('item', 'repeat', 'attention')),
    slot INTEGER CHECK (slot >= 1),
    seconds DOUBLE PRECISION NOT NULL DEFAULT 0,
    finished TEXT,
    at TEXT NOT NULL,
    UNIQUE (item, rater, replicate),
    UNIQUE (rater, position),
    UNIQUE (item, slot)
);

-- The page gives every answer an id of its own: sent twice, it is kept once.
CREATE TABLE answers (
    rater TEXT NOT NULL REFERENCES raters (name),
    id TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (rater, id)
);

-- Looking up one judgement must not read all of them.
CREATE INDEX ratings_of_a_judgement ON ratings (item, rater, replicate, criterion);

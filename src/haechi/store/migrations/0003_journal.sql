-- What was asked of AI judges and what came back: written before a request leaves, reconciled by id afterwards.

CREATE TABLE batches (
    id TEXT PRIMARY KEY,
    rater TEXT NOT NULL,
    model TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('planned', 'sending', 'submitted', 'collected', 'failed', 'cancelled')),
    remote TEXT,
    requests INTEGER NOT NULL,
    reason TEXT,
    holder TEXT,
    held_until DOUBLE PRECISION,
    at TEXT NOT NULL,
    submitted_at TEXT,
    ended_at TEXT
);

CREATE TABLE calls (
    number {identity},
    id TEXT NOT NULL UNIQUE,
    item TEXT NOT NULL REFERENCES items (id),
    rater TEXT NOT NULL,
    model TEXT NOT NULL,
    replicate INTEGER NOT NULL CHECK (replicate >= 1),
    part TEXT NOT NULL,
    asked TEXT,
    prompt TEXT,
    lang TEXT,
    way TEXT NOT NULL CHECK (way IN ('live', 'batch', 'import')),
    state TEXT NOT NULL CHECK (state IN ('sent', 'answered', 'failed', 'lost', 'cancelled')),
    batch TEXT REFERENCES batches (id),
    holder TEXT,
    held_until DOUBLE PRECISION,
    attempts INTEGER NOT NULL,
    reply TEXT,
    reason TEXT,
    version TEXT,
    input_tokens INTEGER,
    cached_tokens INTEGER,
    output_tokens INTEGER,
    reasoning_tokens INTEGER,
    seconds DOUBLE PRECISION,
    cost DOUBLE PRECISION,
    at TEXT NOT NULL,
    answered_at TEXT
);

-- A question that is open is not asked again: this is what keeps two processes from paying for it twice.
CREATE UNIQUE INDEX one_open_call ON calls (item, rater, replicate, part) WHERE state = 'sent';

CREATE INDEX calls_of_batch ON calls (batch) WHERE batch IS NOT NULL;

CREATE INDEX calls_of_rater ON calls (rater, state);

-- What an item still lacks is looked up for every item that is judged.
CREATE INDEX ratings_of_item ON ratings (item, rater, replicate);

-- Many workers judge one study: who works, what they may spend together, and how fast they may ask together.

-- A job is the workers that share one budget: what their finished calls cost, and the worst case of what may have been
-- paid without anybody saying so.
CREATE TABLE jobs (
    name TEXT PRIMARY KEY,
    paid DOUBLE PRECISION NOT NULL,
    doubtful DOUBLE PRECISION NOT NULL,
    at TEXT NOT NULL
);

-- A worker that no longer renews its lease is gone, and what it held is free again.
CREATE TABLE workers (
    name TEXT PRIMARY KEY,
    job TEXT NOT NULL REFERENCES jobs (name),
    held_until DOUBLE PRECISION NOT NULL,
    at TEXT NOT NULL
);

-- One row per judge model: when the next request may leave, and what one worker saw that concerns all.
CREATE TABLE paces (
    model TEXT PRIMARY KEY,
    next_at DOUBLE PRECISION NOT NULL,
    closed_until DOUBLE PRECISION NOT NULL,
    busy_at DOUBLE PRECISION NOT NULL
);

ALTER TABLE calls ADD COLUMN job TEXT;

-- The most that an open call can cost; it counts against its job until the call has ended.
ALTER TABLE calls ADD COLUMN reserved DOUBLE PRECISION;

CREATE INDEX open_calls_of_job ON calls (job) WHERE state = 'sent';

-- Whether a call that was given back has been taken up is looked up by its question.
CREATE INDEX calls_of_question ON calls (item, rater, replicate, part);

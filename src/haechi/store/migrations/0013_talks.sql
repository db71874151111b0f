-- Conversations of participants with the AI under test, message by message, and what asking the AI cost.

-- The page gives every message an id of its own: sent twice, it is kept once. A reply has none.
CREATE TABLE talks (
    rater TEXT NOT NULL REFERENCES raters (name),
    turn INTEGER NOT NULL CHECK (turn >= 1),
    role TEXT NOT NULL CHECK (role IN ('user', 'assistant')),
    id TEXT,
    content TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (rater, turn),
    UNIQUE (rater, id)
);

-- Noted before the AI is asked, with the most that it can cost; what it did cost is known afterwards.
CREATE TABLE talk_asks (
    number {identity},
    rater TEXT NOT NULL REFERENCES raters (name),
    model TEXT NOT NULL,
    cost DOUBLE PRECISION,
    at TEXT NOT NULL
);

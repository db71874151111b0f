-- Questions to models that are no judgements: kept before they leave, so that a killed command pays for none twice.

-- asked: a hash of the model and all that it is told; worst: what the answer may cost at most, null without a price; reply: the
-- line as it came, null until then.
CREATE TABLE questions (
    asked TEXT PRIMARY KEY,
    model TEXT NOT NULL,
    worst DOUBLE PRECISION,
    reply TEXT,
    at TEXT NOT NULL
);

-- Aligning judges with people: which items may be looked at, which never, and how often the latter decided.

-- cluster: the field whose values stay together; null where every item was drawn for itself.
CREATE TABLE alignment_draws (
    number {identity},
    seed BIGINT NOT NULL,
    cluster TEXT,
    at TEXT NOT NULL
);

CREATE TABLE alignment_items (
    item TEXT PRIMARY KEY REFERENCES items (id),
    draw BIGINT NOT NULL REFERENCES alignment_draws (number),
    part TEXT NOT NULL CHECK (part IN ('training', 'held_out'))
);

-- shown: a hash of the values that were compared; the same ones shown again are no new look.
CREATE TABLE alignment_looks (
    number {identity},
    shown TEXT NOT NULL UNIQUE,
    rubric TEXT NOT NULL,
    rater TEXT NOT NULL,
    items BIGINT NOT NULL,
    at TEXT NOT NULL
);

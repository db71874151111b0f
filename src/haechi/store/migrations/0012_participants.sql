-- Participants of surveys: what they say about themselves, through which link they came, and whether they have submitted.

-- A link that several people may use: `most` of them, until it expires or is closed.
CREATE TABLE survey_links (
    number {identity},
    name TEXT NOT NULL UNIQUE,
    token_hash TEXT NOT NULL UNIQUE,
    most INTEGER CHECK (most >= 1),
    at TEXT NOT NULL,
    expires TEXT NOT NULL,
    closed TEXT
);

ALTER TABLE desk_raters ADD COLUMN survey_link INTEGER REFERENCES survey_links (number);

ALTER TABLE desk_raters ADD COLUMN submitted TEXT;

-- What raters say about themselves, once; without a value they did not want to say.
CREATE TABLE rater_fields (
    rater TEXT NOT NULL REFERENCES raters (name),
    field TEXT NOT NULL,
    value TEXT,
    at TEXT NOT NULL,
    PRIMARY KEY (rater, field)
);

-- Which of the two answers of a pair a rater saw first: of the item's own a and b, `ab` or `ba`. The first that is told holds.

CREATE TABLE shown (
    item TEXT NOT NULL REFERENCES items (id),
    rater TEXT NOT NULL REFERENCES raters (name),
    replicate INTEGER NOT NULL,
    first TEXT NOT NULL CHECK (first IN ('ab', 'ba')),
    PRIMARY KEY (item, rater, replicate)
);

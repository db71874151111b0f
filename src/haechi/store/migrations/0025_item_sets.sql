-- Items that were chosen for something in judging, kept with how: examples that judges are shown, those that a second judge
-- is asked about, those on which ways of judging are tried.

-- written: how they were chosen, as JSON; what: examples, second, or tried.
CREATE TABLE item_sets (
    name TEXT PRIMARY KEY,
    what TEXT NOT NULL CHECK (what IN ('examples', 'second', 'tried')),
    written TEXT NOT NULL,
    at TEXT NOT NULL
);

-- role: why an item is in; chance: with which it came in, where that was drawn.
CREATE TABLE set_items (
    name TEXT NOT NULL REFERENCES item_sets (name),
    item TEXT NOT NULL REFERENCES items (id),
    role TEXT NOT NULL,
    chance DOUBLE PRECISION NOT NULL CHECK (chance > 0 AND chance <= 1),
    PRIMARY KEY (name, item)
);

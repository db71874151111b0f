-- Which items were drawn for people to rate, how, and with which chance: what makes their ratings speak for all items.

-- how: drawn at once with equal chances, declared by whoever brought the ratings, or one by one until a goal is reached.
-- items: how many there were to draw from. words: what was declared. goal: NAME=HALF of the last kind.
CREATE TABLE draws (
    number {identity},
    how TEXT NOT NULL CHECK (how IN ('drawn', 'declared', 'until')),
    items BIGINT NOT NULL CHECK (items >= 1),
    seed BIGINT,
    words TEXT,
    goal TEXT,
    at TEXT NOT NULL
);

-- chance: with which the item was drawn among those that were left. A rater is named where the item was drawn for one.
CREATE TABLE drawn_items (
    draw BIGINT NOT NULL REFERENCES draws (number),
    position INTEGER NOT NULL CHECK (position >= 1),
    item TEXT NOT NULL REFERENCES items (id),
    rater TEXT REFERENCES raters (name),
    chance DOUBLE PRECISION NOT NULL CHECK (chance > 0 AND chance <= 1),
    at TEXT NOT NULL,
    PRIMARY KEY (draw, position),
    UNIQUE (draw, item)
);

-- What was asked of agents under test and what came back: written before a turn leaves, closed when its end is known.

CREATE TABLE agent_calls (
    number {identity},
    item TEXT NOT NULL,
    turn INTEGER NOT NULL CHECK (turn >= 1),
    agent TEXT NOT NULL,
    asked TEXT NOT NULL,
    session TEXT NOT NULL,
    arrival TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('sent', 'answered', 'failed', 'lost', 'cancelled')),
    holder TEXT NOT NULL,
    held_until DOUBLE PRECISION NOT NULL,
    attempts INTEGER NOT NULL,
    reply TEXT,
    at TEXT NOT NULL,
    answered_at TEXT
);

-- A turn that is open is not asked again.
CREATE UNIQUE INDEX one_open_agent_call ON agent_calls (item) WHERE state = 'sent';

CREATE INDEX agent_calls_of_item ON agent_calls (item, number);

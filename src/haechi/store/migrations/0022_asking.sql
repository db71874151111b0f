-- Everything that decides a judge's rating: how it was asked, what it was told, the bytes that were sent and received.

-- One row for each way of asking, as JSON under the hash of it.
CREATE TABLE askings (
    hash TEXT PRIMARY KEY,
    written TEXT NOT NULL,
    at TEXT NOT NULL
);

-- What judges are told without the item, once for all calls.
CREATE TABLE instructions (
    hash TEXT PRIMARY KEY,
    system TEXT NOT NULL,
    schema TEXT NOT NULL,
    at TEXT NOT NULL
);

ALTER TABLE calls ADD COLUMN asking TEXT REFERENCES askings (hash);

ALTER TABLE calls ADD COLUMN instructions TEXT REFERENCES instructions (hash);

-- The body of the request as it was sent, packed with the instructions as dictionary.
ALTER TABLE calls ADD COLUMN request {bytes};

-- Of the bytes that came back.
ALTER TABLE calls ADD COLUMN reply_sha256 TEXT;

-- When a claimed call was first let go; without it nothing was sent.
ALTER TABLE calls ADD COLUMN left_at TEXT;

-- What a server at an address understands, as it was found out.
CREATE TABLE servers (
    address TEXT NOT NULL,
    model TEXT NOT NULL,
    dialect TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (address, model)
);

-- Of calls from before nobody knows whether they had left.
UPDATE calls SET left_at = at WHERE state = 'sent';

-- A random name by which a study is known whatever its folder, address or port; a copy of the study keeps it.

CREATE TABLE study (identity TEXT NOT NULL);

INSERT INTO study (identity) VALUES (lower(hex(randomblob(16))));

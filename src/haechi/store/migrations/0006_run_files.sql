-- Agent runs of a study with very many of them: Parquet files in the study's folder instead of rows here.

-- A file is never changed. One that lost runs to a replacement is followed by another and stays on disk.
CREATE TABLE run_files (
    number {identity},
    name TEXT NOT NULL UNIQUE,
    runs INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    fields TEXT NOT NULL,
    at TEXT NOT NULL,
    replaced TEXT
);

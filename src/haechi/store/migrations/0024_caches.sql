-- What was put into the provider's cache, and what cache and batch made cheaper: the recorded cost alone does not tell.

ALTER TABLE calls ADD COLUMN cache_write_tokens INTEGER;

ALTER TABLE calls ADD COLUMN saved_by_cache DOUBLE PRECISION;

ALTER TABLE calls ADD COLUMN saved_by_batch DOUBLE PRECISION;

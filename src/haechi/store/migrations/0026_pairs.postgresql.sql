-- Items may be pairs.

ALTER TABLE items DROP CONSTRAINT items_kind_check;

ALTER TABLE items ADD CONSTRAINT items_kind_check CHECK (kind IN ('dialogue', 'reply', 'run', 'pair', 'bare'));

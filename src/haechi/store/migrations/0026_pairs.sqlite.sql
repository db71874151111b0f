-- Items may be pairs. A check can be changed in place: what is stored stays as it is.

PRAGMA writable_schema = ON;

UPDATE sqlite_master SET sql = replace(sql, '''run'', ''bare''', '''run'', ''pair'', ''bare''') WHERE type = 'table' AND name = 'items';

PRAGMA writable_schema = RESET;

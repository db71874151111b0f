-- How the desk is run, as the owner chose it in the browser. Nothing is changed: the newest choice holds.

CREATE TABLE desk_settings (
    number {identity},
    settings TEXT NOT NULL,
    at TEXT NOT NULL
);

"""The tables as SQLAlchemy sees them; the migrations make them."""

from __future__ import annotations

import sqlalchemy as sa

metadata = sa.MetaData()

study = sa.Table("study", metadata, sa.Column("identity", sa.Text))

rubrics = sa.Table(
    "rubrics",
    metadata,
    sa.Column("version", sa.Text, primary_key=True),
    sa.Column("id", sa.Text),
    sa.Column("text", sa.Text),
    sa.Column("at", sa.Text),
)

items = sa.Table(
    "items",
    metadata,
    sa.Column("number", sa.BigInteger, primary_key=True),
    sa.Column("id", sa.Text),
    sa.Column("kind", sa.Text),
    sa.Column("content", sa.Text),
    sa.Column("meta", sa.Text),
    sa.Column("digest", sa.Text),
    sa.Column("arrival", sa.Text),
    sa.Column("at", sa.Text),
)

replaced_items = sa.Table(
    "replaced_items",
    metadata,
    sa.Column("number", sa.BigInteger, primary_key=True),
    *(sa.Column(name, sa.Text) for name in ("id", "kind", "content", "meta", "digest", "at")),
)

raters = sa.Table(
    "raters",
    metadata,
    *(sa.Column(name, sa.Text) for name in ("name", "kind", "at")),
)

ratings = sa.Table(
    "ratings",
    metadata,
    sa.Column("number", sa.BigInteger, primary_key=True),
    sa.Column("item", sa.Text),
    sa.Column("criterion", sa.Text),
    sa.Column("rater", sa.Text),
    sa.Column("replicate", sa.Integer),
    *(
        sa.Column(name, sa.Text)
        for name in ("value", "evidence", "status", "reason", "stance", "rubric", "arrival", "at")
    ),
    sa.Column("replaces", sa.BigInteger),
)

invitations = sa.Table(
    "invitations",
    metadata,
    sa.Column("number", sa.BigInteger, primary_key=True),
    *(sa.Column(name, sa.Text) for name in ("role", "name", "token_hash", "at", "expires", "revoked")),
)

desk_raters = sa.Table(
    "desk_raters",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("quota", sa.Integer),
    *(sa.Column(name, sa.Text) for name in ("stance", "only_item", "consented", "trained", "at")),
)

assignments = sa.Table(
    "assignments",
    metadata,
    sa.Column("number", sa.BigInteger, primary_key=True),
    sa.Column("item", sa.Text),
    sa.Column("rater", sa.Text),
    sa.Column("replicate", sa.Integer),
    sa.Column("position", sa.Integer),
    sa.Column("kind", sa.Text),
    sa.Column("slot", sa.Integer),
    sa.Column("seconds", sa.Float),
    sa.Column("finished", sa.Text),
    sa.Column("at", sa.Text),
)

batches = sa.Table(
    "batches",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    *(sa.Column(name, sa.Text) for name in ("rater", "model", "state", "remote")),
    sa.Column("requests", sa.Integer),
    *(sa.Column(name, sa.Text) for name in ("reason", "holder")),
    sa.Column("held_until", sa.Double),
    *(sa.Column(name, sa.Text) for name in ("at", "submitted_at", "ended_at")),
)

calls = sa.Table(
    "calls",
    metadata,
    sa.Column("number", sa.BigInteger, primary_key=True),
    *(sa.Column(name, sa.Text) for name in ("id", "item", "rater", "model")),
    sa.Column("replicate", sa.Integer),
    *(
        sa.Column(name, sa.Text)
        for name in ("part", "asked", "prompt", "lang", "way", "state", "batch", "holder")
    ),
    sa.Column("held_until", sa.Double),
    sa.Column("attempts", sa.Integer),
    *(sa.Column(name, sa.Text) for name in ("reply", "reason", "version")),
    *(
        sa.Column(name, sa.Integer)
        for name in ("input_tokens", "cached_tokens", "output_tokens", "reasoning_tokens")
    ),
    sa.Column("seconds", sa.Double),
    sa.Column("cost", sa.Double),
    *(sa.Column(name, sa.Text) for name in ("at", "answered_at")),
    sa.Column("job", sa.Text),
    sa.Column("reserved", sa.Double),
)

jobs = sa.Table(
    "jobs",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("paid", sa.Double),
    sa.Column("doubtful", sa.Double),
    sa.Column("at", sa.Text),
)

workers = sa.Table(
    "workers",
    metadata,
    *(sa.Column(name, sa.Text) for name in ("name", "job")),
    sa.Column("held_until", sa.Double),
    sa.Column("at", sa.Text),
)

paces = sa.Table(
    "paces",
    metadata,
    sa.Column("model", sa.Text, primary_key=True),
    *(sa.Column(name, sa.Double) for name in ("next_at", "closed_until", "busy_at")),
)

run_files = sa.Table(
    "run_files",
    metadata,
    sa.Column("number", sa.BigInteger, primary_key=True),
    sa.Column("name", sa.Text),
    sa.Column("runs", sa.Integer),
    *(sa.Column(name, sa.Text) for name in ("sha256", "fields", "at", "replaced")),
)

"""The tables as SQLAlchemy sees them; the migrations make them."""

from __future__ import annotations

import sqlalchemy as sa

metadata = sa.MetaData()

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

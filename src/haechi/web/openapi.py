"""The description of the HTTP interface, in the form that tools read (OpenAPI 3.1)."""

from __future__ import annotations

from typing import Any

from haechi.version import __version__

_CALL = {
    "type": "object",
    "required": ["name", "arguments"],
    "properties": {name: {"type": "string"} for name in ("name", "arguments", "id")},
}
_MESSAGE = {
    "type": "object",
    "required": ["role", "content"],
    "properties": {
        "role": {"type": "string", "enum": ["user", "assistant", "system", "tool"]},
        "content": {"type": "string"},
        "name": {"type": "string", "description": "The speaker, or the tool that answered."},
        "time": {"type": "string"},
        "tool_calls": {"type": "array", "items": _CALL},
        "tool_call_id": {"type": "string", "description": "Which call a tool answers."},
    },
}
_ITEM: dict[str, Any] = {
    "type": "object",
    "description": "A dialogue (messages), a context and its response, or an agent run, as in an items file.",
    "required": ["id"],
    "properties": {
        "id": {"type": "string", "maxLength": 300},
        "messages": {"type": "array", "items": _MESSAGE},
        "context": {"type": "string"},
        "response": {"type": "string"},
        "meta": {"type": "object", "description": "Fields to group by; raters never see them."},
    },
}
_RATING = {
    "type": "object",
    "properties": {
        **{name: {"type": "string"} for name in ("item", "criterion", "rater", "status", "rubric", "at")},
        **{name: {"type": ["string", "null"]} for name in ("value", "evidence", "reason", "stance")},
        "kind": {"type": "string", "enum": ["human", "ai", "code"]},
        "replicate": {"type": "integer"},
    },
}
_TOKEN: list[dict[str, list[str]]] = [{"token": []}]


def _json(schema: dict[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


def _answers(good: str, description: str, schema: dict[str, Any], *problems: str) -> dict[str, Any]:
    known = {
        "401": "No token, or a wrong one.",
        "403": "The token may not do this, has expired or was revoked.",
        "404": "There is no such item.",
        "413": "The request is too long.",
        "422": "The input is not valid; `error` says where, what was found and what was expected.",
        "429": "Too many wrong tokens; wait a minute.",
    }
    return {
        good: {"description": description, "content": _json(schema)},
        **{code: {"description": known[code]} for code in problems},
    }


def _counts(*names: str) -> dict[str, Any]:
    return {"type": "object", "properties": {name: {"type": "integer"} for name in names}}


OPENAPI: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {
        "title": "Haechi",
        "version": __version__,
        "description": "Push conversations into a study as they happen; pull ratings and scores. "
        "`haechi raters program DIR NAME` makes a token.",
    },
    "components": {
        "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        "schemas": {"Item": _ITEM, "Rating": _RATING},
    },
    "paths": {
        "/api/health": {
            "get": {
                "summary": "Whether the desk and its database answer",
                "responses": _answers("200", "They do.", {"type": "object"}),
            }
        },
        "/api/items": {
            "post": {
                "summary": "Add an item or a list of items, all or none; the same item again changes nothing",
                "security": _TOKEN,
                "requestBody": {
                    "required": True,
                    "content": _json(
                        {
                            "oneOf": [
                                {"$ref": "#/components/schemas/Item"},
                                {
                                    "type": "array",
                                    "maxItems": 10000,
                                    "items": {"$ref": "#/components/schemas/Item"},
                                },
                            ]
                        }
                    ),
                },
                "responses": _answers(
                    "201",
                    "What was done.",
                    _counts("new", "unchanged", "filled"),
                    "401",
                    "403",
                    "413",
                    "422",
                    "429",
                ),
            }
        },
        "/api/ratings": {
            "get": {
                "summary": "The ratings in force",
                "security": _TOKEN,
                "parameters": [
                    {
                        "name": "item",
                        "in": "query",
                        "schema": {"type": "string"},
                        "description": "Only of this item.",
                    }
                ],
                "responses": _answers(
                    "200",
                    "The ratings, one for each judgement.",
                    {
                        "type": "object",
                        "properties": {
                            "ratings": {"type": "array", "items": {"$ref": "#/components/schemas/Rating"}}
                        },
                    },
                    "401",
                    "403",
                    "429",
                ),
            }
        },
        "/api/scores": {
            "get": {
                "summary": "The scores, as `haechi score --json` prints them",
                "security": _TOKEN,
                "responses": _answers(
                    "200",
                    "Scores per item and rater, and the summary.",
                    {"type": "object"},
                    "401",
                    "403",
                    "429",
                ),
            }
        },
        "/api/surveys": {
            "post": {
                "summary": "A link behind which one person answers about one item, once",
                "security": _TOKEN,
                "requestBody": {
                    "required": True,
                    "content": _json(
                        {
                            "type": "object",
                            "required": ["item"],
                            "properties": {
                                "item": {"type": "string"},
                                "days": {"type": "number", "default": 7},
                            },
                        }
                    ),
                },
                "responses": _answers(
                    "201",
                    "The link.",
                    {"type": "object", "properties": {"link": {"type": "string"}}},
                    "401",
                    "403",
                    "404",
                    "422",
                    "429",
                ),
            }
        },
    },
}

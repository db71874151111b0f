"""AWS Bedrock: Claude through Anthropic's own client."""

from __future__ import annotations

import os
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from haechi.judge.providers.addresses import check_plain
from haechi.judge.providers.anthropic import LINES, Anthropic
from haechi.judge.providers.base import need_address, need_extra, need_key
from haechi.judge.providers.provider import Provider

if TYPE_CHECKING:
    import httpx2


def connect(model: str, url: str | None, timeout: float) -> Bedrock:  # noqa: ARG001 - the region is the address
    """A judge at Bedrock: with a key of its own, which needs nothing else, or signed with an AWS account by boto3."""
    if not _region():
        raise need_address("bedrock", "AWS_REGION", "us-east-1")
    if not os.environ.get("AWS_BEARER_TOKEN_BEDROCK"):
        if find_spec("boto3") is None:
            raise need_extra("boto3", "bedrock", "AWS_BEARER_TOKEN_BEDROCK")
        import boto3

        if boto3.Session().get_credentials() is None:
            raise need_key("bedrock")
    check_plain(PROVIDER.address, "AWS_BEARER_TOKEN_BEDROCK")
    return Bedrock(PROVIDER.address, timeout, model)


def _region() -> str:
    return os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION") or ""


class Bedrock(Anthropic):
    """A Claude model that AWS serves."""

    server = "bedrock"

    def _connected(self, http: httpx2.AsyncClient) -> Any:
        import anthropic

        return anthropic.AsyncAnthropicBedrock(
            aws_region=_region(),
            base_url=self._address,
            timeout=self._timeout,
            max_retries=0,
            http_client=http,
        )


PROVIDER = Provider(
    "bedrock",
    connect,
    LINES,
    keys=("AWS_BEARER_TOKEN_BEDROCK", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"),
    batches=False,
    model="anthropic.CLAUDE",
    home=lambda: f"https://bedrock-runtime.{_region()}.amazonaws.com",
    address_variable="ANTHROPIC_BEDROCK_BASE_URL",
    sign="@bedrock",
    sdk="anthropic",
    takes=frozenset({"temperature", "effort"}),
)

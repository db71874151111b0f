"""Azure OpenAI: deployments of OpenAI's models at an address of one's own."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from haechi.judge.providers.addresses import account_headers, address_key, check_plain
from haechi.judge.providers.base import need_address, need_key
from haechi.judge.providers.dialect import Dialect
from haechi.judge.providers.exchange import origin
from haechi.judge.providers.openai import OpenAI
from haechi.judge.providers.openai_lines import LINES
from haechi.judge.providers.provider import Provider

if TYPE_CHECKING:
    import httpx2
    import openai

_VERSION = "2024-10-21"  # the first that has structured output and batches, and is no preview


def connect(model: str, url: str | None, timeout: float) -> Azure:
    """A judge at Azure; the key of the environment goes to the address of the environment, another address has its own."""
    home = PROVIDER.address
    address = url or home
    if not address:
        raise need_address("azure", "AZURE_OPENAI_ENDPOINT", "https://NAME.openai.azure.com")
    if home and origin(address) == origin(home):
        key = os.environ.get("AZURE_OPENAI_API_KEY") or ""
        token = "" if key else os.environ.get("AZURE_OPENAI_AD_TOKEN") or ""
        if not key and not token:
            raise need_key("azure")
        check_plain(address, "AZURE_OPENAI_API_KEY")
        return Azure(key, address, timeout, model, "azure", token)
    return Azure(address_key(address), address, timeout, model, address)


class Azure(OpenAI):
    """A deployment behind the chat completions interface."""

    endpoint = "/chat/completions"

    def __init__(
        self, key: str, address: str, timeout: float, model: str, server: str, token: str = ""
    ) -> None:
        self._token = token
        super().__init__(key, address, timeout, model, server)
        self.dialect = Dialect("max_completion_tokens")

    def _connected(self, http: httpx2.AsyncClient) -> openai.AsyncOpenAI:
        """The SDK's client for Azure; nothing of an account at OpenAI goes there."""
        import openai

        return openai.AsyncAzureOpenAI(
            azure_endpoint=self._url or "",
            api_key=self._key or None,
            azure_ad_token=self._token or None,
            api_version=os.environ.get("OPENAI_API_VERSION") or _VERSION,
            timeout=self._timeout,
            max_retries=0,
            http_client=http,
            default_headers=dict.fromkeys(account_headers(), openai.Omit()),  # type: ignore[arg-type]
        )

    async def probe(self) -> None:
        """Azure's list of models is not that of the deployments: there is nothing to ask."""


PROVIDER = Provider(
    "azure",
    connect,
    LINES,
    keys=("AZURE_OPENAI_API_KEY", "AZURE_OPENAI_AD_TOKEN"),
    takes_address=True,
    model="DEPLOYMENT",
    address_variable="AZURE_OPENAI_ENDPOINT",
    sign="@azure",
    sdk="openai",
    takes=frozenset({"temperature", "seed", "effort", "logprobs"}),
)

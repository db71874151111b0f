"""Clouds on this machine: their models, and the environment in which their own clients find the test server."""

from __future__ import annotations

import json
from pathlib import Path

CLOUDS = (
    "azure:judge",
    "bedrock:anthropic.claude-haiku-4-5-20251001-v1:0",
    "vertex:gemini-2.5-flash",
    "vertex:claude-haiku-4-5",
    "openrouter:openai/gpt-5-mini",
)
SECRETS = {
    "AZURE_OPENAI_API_KEY": "key-of-azure-00000001",
    "AWS_BEARER_TOKEN_BEDROCK": "key-of-bedrock-00000002",
    "OPENROUTER_API_KEY": "sk-or-v1-secretsecret0003",
}


def environment(url: str, folder: Path) -> dict[str, str]:
    """What a user would set."""
    account = folder / "service-account.json"
    account.write_text(json.dumps(_account(url)))
    return {
        **SECRETS,
        "AZURE_OPENAI_ENDPOINT": url,
        "AWS_REGION": "eu-west-1",
        "ANTHROPIC_BEDROCK_BASE_URL": url,
        "GOOGLE_CLOUD_PROJECT": "a-project",
        "GOOGLE_CLOUD_LOCATION": "europe-west4",
        "GOOGLE_APPLICATION_CREDENTIALS": str(account),
        "GOOGLE_VERTEX_BASE_URL": url,
        "OPENROUTER_BASE_URL": f"{url}/api/v1",
    }


def _account(url: str) -> dict[str, str]:
    """A service account whose key is made here and whose tokens the test server gives out."""
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa

    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    form = serialization.PrivateFormat.PKCS8
    written = key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())
    return {
        "type": "service_account",
        "project_id": "a-project",
        "private_key_id": "1",
        "private_key": written.decode(),
        "client_email": "judge@a-project.example",
        "client_id": "1",
        "token_uri": f"{url}/token",
    }

"""The keys, models and addresses that the tests use."""

from __future__ import annotations

KEYS = {
    "OPENAI_API_KEY": "sk-proj-secretsecret0001",
    "ANTHROPIC_API_KEY": "sk-ant-secretsecret0002",
    "GEMINI_API_KEY": "AIzaSecretSecretSecretSecret0003",
}
MODELS = ("openai:gpt-5-mini", "anthropic:claude-haiku-4-5", "gemini:gemini-2.5-flash")


def addresses(url: str) -> dict[str, str]:
    return {
        "OPENAI_BASE_URL": f"{url}/v1",
        "ANTHROPIC_BASE_URL": url,
        "GOOGLE_GEMINI_BASE_URL": f"{url}/google",
    }

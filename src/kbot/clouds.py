"""Models of cloud providers, each an extra of kbot, with the key from the provider's own variable."""

import importlib
import os
import re
from collections.abc import Callable
from typing import Any, cast

from dotenv import dotenv_values
from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel
from pydantic import SecretStr

from kbot.errors import ModelMissing, SettingsError
from kbot.failures import KEYS, TITLES

_CHAT = {
    "openai": ("langchain_openai", "ChatOpenAI", "max_tokens"),
    "anthropic": ("langchain_anthropic", "ChatAnthropic", "max_tokens"),
    "google": ("langchain_google_genai", "ChatGoogleGenerativeAI", "max_output_tokens"),
}


def cloud_chat(provider: str, model: str, *, answer_tokens: int) -> BaseChatModel:
    """The provider's chat model. Raises `ModelMissing` without its extra, `SettingsError` without its key."""
    package, class_name, limit = _CHAT[provider]
    build = cast(Callable[..., BaseChatModel], _extra(package, class_name, provider, model))
    options: dict[str, Any] = {limit: answer_tokens}
    # OpenAI's o models and Anthropic's newer ones refuse a temperature.
    if provider != "anthropic" and not re.match(r"o\d", model):
        options["temperature"] = 0
    return build(model=model, api_key=provider_key(provider), max_retries=2, **options)


def cloud_embeddings(provider: str, model: str) -> Embeddings:
    """The provider's embedder. Raises as `cloud_chat` does."""
    build = cast(Callable[..., Embeddings], _extra("langchain_openai", "OpenAIEmbeddings", provider, model))
    # Its check of lengths would download a tokenizer, and chunks are short.
    return build(model=model, api_key=provider_key(provider), check_embedding_ctx_length=False, max_retries=2)


def _extra(package: str, class_name: str, provider: str, model: str) -> object:
    try:
        return getattr(importlib.import_module(package), class_name)
    except ImportError as error:
        raise ModelMissing(
            f"{provider}:{model}",
            f"{TITLES[provider]} models need a package that is missing ({error}).",
            f"Install it with `pip install 'kbot[{provider}]'`.",
        ) from error


def provider_key(provider: str) -> SecretStr:
    """The key of a provider from the environment or `.env`. Raises `SettingsError` where there is none."""
    variable = KEYS[provider]
    key = os.environ.get(variable) or dotenv_values(".env").get(variable)
    if not key:
        title = TITLES.get(provider, provider.capitalize())
        raise SettingsError(f"{title} needs a key: set {variable} in the environment or in .env.")
    return SecretStr(key)

"""How adapters read what is set for them."""

from typing import Annotated, TypeVar

from pydantic import BeforeValidator, ValidationError
from pydantic_settings import (
    BaseSettings,
    DotEnvSettingsSource,
    EnvSettingsSource,
    NoDecode,
    SettingsConfigDict,
)

from kbot.errors import SettingsError
from kbot.logs import get_logger

log = get_logger(__name__)

S = TypeVar("S", bound=BaseSettings)


def _listed(value: object) -> object:
    return frozenset(filter(None, (each.strip() for each in value.split(",")))) if isinstance(value, str) else value


Ids = Annotated[frozenset[str], NoDecode, BeforeValidator(_listed)]
"""The type of a setting that lists ids, with commas between them."""


def settings_of(platform: str) -> SettingsConfigDict:
    """The `model_config` of a platform's settings: `KBOT_`, the platform and the field's name, in the environment or
    in `.env`."""
    prefix = f"KBOT_{platform.upper()}_"
    return SettingsConfigDict(
        env_prefix=prefix, env_file=".env", env_file_encoding="utf-8", frozen=True, extra="ignore"
    )


def read_settings(kind: type[S]) -> S:
    """The settings of the environment and `.env`. Raises SettingsError, in one line, that names the first of those
    that cannot be used, and does not show its value."""
    prefix = kind.model_config.get("env_prefix", "")
    given = {*EnvSettingsSource(kind).env_vars, *DotEnvSettingsSource(kind).env_vars}
    for name in sorted(name.upper() for name in given if name.upper().startswith(prefix)):
        if name.removeprefix(prefix).lower() not in kind.model_fields:
            log.warning("unknown_setting", name=name, told="There is no such setting, so it does nothing.")
    try:
        return kind()
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False, include_context=False)[0]
        name = f"{kind.model_config.get('env_prefix', '')}{'_'.join(map(str, fault['loc'])).upper()}"
        told = fault["msg"].removeprefix("Value error, ")
        raise SettingsError(f"{name} cannot be used: {told}. Correct it in the environment or in .env.") from None

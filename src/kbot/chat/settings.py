"""How adapters read what is set for them, and what is said of a value that cannot be used."""

from typing import Annotated, Literal, TypeVar, get_args, get_origin

from annotated_types import Ge, Gt, Le
from pydantic import BeforeValidator, ValidationError
from pydantic.fields import FieldInfo
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
        raise SettingsError(faults(kind, error)[0]) from None


def faults(kind: type[BaseSettings], error: ValidationError) -> list[str]:
    """A sentence for each setting that cannot be used: its name, what it takes, and not its value, which may be a
    secret."""
    told: list[str] = []
    for fault in error.errors(include_url=False, include_input=False):
        own = fault.get("ctx", {}).get("error")
        field = kind.model_fields.get(str(fault["loc"][0])) if fault["loc"] else None
        words = str(own) if isinstance(own, ValueError) or field is None else f"it takes {takes(field)}"
        name = "_".join(str(part) for part in fault["loc"]).upper()
        named = f"{kind.model_config.get('env_prefix', '')}{name} cannot be used: " if name else ""
        told.append(f"{named}{words}. Correct it in the environment or in .env.")
    return told


def takes(field: FieldInfo) -> str:
    """The values that a setting takes, in words."""
    kind = field.annotation
    choices = next((get_args(each) for each in (kind, *get_args(kind)) if get_origin(each) is Literal), ())
    if choices:
        *others, last = (f"'{choice}'" for choice in choices)
        return f"{', '.join(others)} or {last}"
    kinds = (kind, *get_args(kind))
    if bool in kinds:
        return "true or false"
    low = next((limit for limit in field.metadata if isinstance(limit, Ge)), None)
    high = next((limit for limit in field.metadata if isinstance(limit, Le)), None)
    over = next((limit for limit in field.metadata if isinstance(limit, Gt)), None)
    words = "a number" if float in kinds else "a whole number" if int in kinds else "text"
    if low and high:
        return f"{words}, {low.ge} to {high.le}"
    return f"{words}, {low.ge} or more" if low else f"{words} over {over.gt}" if over else words

"""Where providers get their keys: by reference, one operation at a time, never kept."""

import os
import re
from collections.abc import Mapping
from typing import Final, Protocol, runtime_checkable

from hydra_web.errors import ConfigError

__all__ = ["CredentialStore", "EnvironmentCredentials", "WritableCredentialStore", "check_reference"]

_REFERENCE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@runtime_checkable
class CredentialStore(Protocol):
    """Something that knows credentials by reference."""

    async def resolve(self, reference: str) -> str | None:
        """The credential, or None where there is none. Asked anew for every search."""
        ...


@runtime_checkable
class WritableCredentialStore(CredentialStore, Protocol):
    """A credential store that can take one in."""

    async def store(self, reference: str, value: str) -> None:
        """Keeps the credential under the reference."""
        ...


class EnvironmentCredentials:
    """Credentials from environment variables, or a mapping like them, read at the moment they are needed."""

    __slots__ = ("__environ",)

    def __init__(self, environ: Mapping[str, str] | None = None) -> None:
        self.__environ = environ

    def __repr__(self) -> str:
        return "EnvironmentCredentials()"

    def __reduce__(self) -> tuple[object, ...]:
        if self.__environ is not None:
            raise TypeError("credentials cannot be pickled")
        return (EnvironmentCredentials, ())

    def has(self, reference: str) -> bool:
        """Whether the variable is set and not empty."""
        return bool(self.read(reference))

    async def resolve(self, reference: str) -> str | None:
        """As `read`."""
        return self.read(reference)

    def read(self, reference: str) -> str | None:
        """The variable's value, or None when it is unset or empty."""
        environ = os.environ if self.__environ is None else self.__environ
        return environ.get(reference, "").strip() or None


def check_reference(key: str, value: object) -> str:
    """The value as a credential reference. Raises ConfigError when it is not one."""
    if not isinstance(value, str) or _REFERENCE.fullmatch(value) is None:
        raise ConfigError(f"{key} must be the name of a credential (letters, digits and _), not what was given")
    return value

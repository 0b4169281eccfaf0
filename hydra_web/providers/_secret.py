"""A key that shows itself to nobody but the function that builds a request's headers."""

import base64
import hmac
import json
from collections.abc import Iterable
from typing import Final, NoReturn
from urllib.parse import quote, quote_plus

from pydantic_core import core_schema

__all__ = ["Secret", "echoes"]

_MASK: Final = "**********"
_SHORTEST_ENCODED: Final = 8  # shorter keys turn up inside ordinary encoded text by chance


class Secret:
    """A credential. Printing, formatting, pickling and `vars` never show it; `reveal` does."""

    __slots__ = ("__value",)

    def __init__(self, value: str) -> None:
        self.__value = value

    @staticmethod
    def of(value: "str | Secret | None") -> "Secret | None":
        """The value as a secret, without the spaces around it; None for nothing and for empty text."""
        if isinstance(value, Secret):
            return value if value.reveal().strip() else None
        stripped = value.strip() if value else ""
        return Secret(stripped) if stripped else None

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: object) -> core_schema.CoreSchema:
        del source, handler
        return core_schema.no_info_plain_validator_function(
            cls._validate, serialization=core_schema.to_string_ser_schema()
        )

    @classmethod
    def _validate(cls, value: object) -> "Secret":
        if isinstance(value, cls):
            return value
        if isinstance(value, str):
            return cls(value)
        raise ValueError("a credential must be text")

    def reveal(self) -> str:
        """The credential itself."""
        return self.__value

    @property
    def sendable(self) -> bool:
        """Whether it can stand in a header: printable ASCII, no space at either end."""
        value = self.__value
        return value.isascii() and value.isprintable() and bool(value) and value == value.strip()

    def __repr__(self) -> str:
        return _MASK

    def __format__(self, specification: str) -> str:
        return _MASK

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Secret):
            return NotImplemented
        return hmac.compare_digest(self.__value.encode(), other.reveal().encode())

    def __hash__(self) -> int:
        return id(type(self))  # equal secrets agree, and no hash tells them apart

    def __reduce__(self) -> NoReturn:
        raise TypeError("a credential cannot be pickled")


def echoes(texts: Iterable[str], secrets: Iterable[Secret]) -> bool:
    """Whether any text holds any of the secrets, plainly or in a usual encoding."""
    spellings = {spelling for secret in secrets for spelling in _spellings(secret.reveal())}
    return any(spelling in text for text in texts for spelling in spellings)


def _spellings(value: str) -> set[str]:
    spellings = {value, json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]}
    if len(value) >= _SHORTEST_ENCODED:
        spellings |= {quote(value, safe=""), quote_plus(value), *_base64_spellings(value.encode())}
    return spellings


def _base64_spellings(value: bytes) -> set[str]:
    """The characters that every base64 text holding the value must contain, for each of three alignments."""
    spellings = set()
    for lead in range(3):
        padded = b"\0" * lead + value
        whole = len(padded) // 3 * 4
        skipped = (0, 2, 3)[lead]
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            spellings.add(encode(padded).decode("ascii")[skipped:whole])
    return spellings

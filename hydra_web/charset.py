"""From bytes to text, the way browsers read it.

The order is the standard's (https://html.spec.whatwg.org/#determining-the-character-encoding):
byte order mark, HTTP header, `<meta>` prescan or XML declaration, detection, default.
Labels mean what https://encoding.spec.whatwg.org says, so `latin1` is windows-1252.
"""

import codecs
import contextlib
import functools
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import webencodings  # type: ignore[import-untyped]

from hydra_web.errors import WebError

__all__ = ["Decoded", "check_label", "declared_in_markup", "decode"]

CharsetSource: TypeAlias = Literal["bom", "header", "meta", "detected", "default"]

_WINDOW: Final = 1024
_LATE_WINDOW: Final = 262_144
_SAMPLE: Final = 131_072
_PASSAGE: Final = 16_384
_FAMILIAR: Final = 0.03
_REFUSED: Final = frozenset({"replacement", "x-user-defined"})
_BOMS: Final = ((b"\xef\xbb\xbf", "utf-8"), (b"\xfe\xff", "utf-16be"), (b"\xff\xfe", "utf-16le"))


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text and how it was read."""

    text: str
    """The text, without byte order mark; bytes that fit no character became U+FFFD."""
    charset: str
    """The encoding's name in the standard, lower case."""
    source: CharsetSource
    """What decided."""


def check_label(label: str) -> None:
    """Raises WebError `WEB_UNSUPPORTED_CONTENT_TYPE` when the label names no encoding that may be used."""
    _named(label)


def decode(data: bytes, *, declared: str | None, kind: Literal["html", "text"]) -> Decoded:
    """The text of a body; `declared` is the charset of the HTTP header.

    Raises WebError `WEB_UNSUPPORTED_CONTENT_TYPE` when `declared` names no usable encoding.
    """
    header = None if declared is None else _named(declared)
    for mark, name in _BOMS:
        if data.startswith(mark):
            return Decoded(_read(data[len(mark) :], name), name, "bom")
    if header is not None:
        return Decoded(_read(data, header), header, "header")
    name_in_markup = declared_in_markup(data, kind)
    if name_in_markup is not None:
        return Decoded(_read(data, name_in_markup), name_in_markup, "meta")
    found = _detect(data)
    if found is not None:
        return Decoded(_read(data, found), found, "detected")
    default = "windows-1252" if kind == "html" else "utf-8"
    return Decoded(_read(data, default), default, "default")


def _lookup(label: str) -> str | None:
    encoding = webencodings.lookup(label) if label.isascii() else None
    return None if encoding is None else str(encoding.name)


def _named(label: str) -> str:
    name = _lookup(label)
    if name is None or name in _REFUSED:
        raise WebError(f'unsupported charset "{label.strip().lower()}"', "WEB_UNSUPPORTED_CONTENT_TYPE")
    return name


# --- what the markup says ---------------------------------------------------------------------

_TAG: Final = re.compile(
    rb"<(?:(?P<comment>!--)|(?P<meta>meta)(?=[\t\n\x0c\r /])|(?P<close>/?)(?P<name>[a-z][^\t\n\x0c\r >]*+)|[!/?])",
    re.IGNORECASE,
)
_NAME: Final = re.compile(
    rb"[\t\n\x0c\r /]*+(?:([^\t\n\x0c\r />][^\t\n\x0c\r />=]*+)[\t\n\x0c\r ]*+(=?)[\t\n\x0c\r ]*+)?"
)
_UNQUOTED: Final = re.compile(rb"[^\t\n\x0c\r >]*+")
_CONTENT_CHARSET: Final = re.compile(
    r"""charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|["']|([^\t\n\f\r ;]*))""", re.IGNORECASE
)
_LATE_META: Final = re.compile(rb"<meta[\t\n\x0c\r /][^>]{0,200}?charset", re.IGNORECASE)
_XML: Final = re.compile(rb"<\?xml[^>]*?[\t\n\r ]encoding[\x00- ]*=[\x00- ]*(?:\"([^\">]*)\"|'([^'>]*)')")
_RAW_TEXT: Final = frozenset({b"script", b"style", b"title", b"textarea", b"noframes", b"iframe", b"xmp"})


class _OutOfBytesError(Exception):
    """The window ended inside a construct."""


def declared_in_markup(data: bytes, kind: Literal["html", "text"]) -> str | None:
    """The encoding a document names itself, or None.

    HTML: the prescan of https://html.spec.whatwg.org/#prescan-a-byte-stream-to-determine-its-encoding
    over the first 1024 bytes; then, as a browser's parser would, any later `<meta>` in the first
    256 KiB that stands outside scripts and other raw text. Anything: an XML declaration at the very start.
    """
    if data.startswith(b"<\x00?\x00x\x00"):
        return "utf-16le"
    if data.startswith(b"\x00<\x00?\x00x"):
        return "utf-16be"
    name = _prescan(data[:_WINDOW], skip_raw_text=False) if kind == "html" else None
    if name is None:
        name = _xml_encoding(data[:_WINDOW])
    if name is None and kind == "html" and len(data) > _WINDOW:
        late = data[:_LATE_WINDOW]
        if _LATE_META.search(late):
            name = _prescan(late, skip_raw_text=True)
    return name


def _xml_encoding(window: bytes) -> str | None:
    found = _XML.match(window)
    return None if found is None else _usable((found[1] or found[2] or b"").decode("latin-1"))


def _usable(label: str) -> str | None:
    name = _lookup(label)
    if name in ("utf-16be", "utf-16le"):
        return "utf-8"
    if name == "x-user-defined":
        return "windows-1252"
    return None if name == "replacement" else name


def _prescan(window: bytes, *, skip_raw_text: bool) -> str | None:
    position = 0
    try:
        while tag := _TAG.search(window, position):
            if tag["comment"]:
                position = _after(window, b"-->", tag.start() + 2)
            elif tag["meta"]:
                attributes, position = _attributes(window, tag.end())
                if label := _meta_charset(attributes):
                    return label
            elif tag["name"]:
                _, position = _attributes(window, tag.end())
                name = tag["name"].lower()
                if skip_raw_text and not tag["close"] and name in _RAW_TEXT:
                    end = re.compile(rb"</" + name, re.IGNORECASE).search(window, position)
                    position = end.start() if end else len(window)
            else:
                position = _after(window, b">", tag.start() + 1)
    except _OutOfBytesError:
        return None
    return None


def _after(window: bytes, end: bytes, start: int) -> int:
    found = window.find(end, start)
    if found < 0:
        raise _OutOfBytesError
    return found + len(end)


def _attributes(window: bytes, position: int) -> tuple[dict[str, str], int]:
    """The attributes of a tag, first spelling wins, and where the tag ends."""
    attributes: dict[str, str] = {}
    while True:
        name = _NAME.match(window, position)
        assert name is not None  # the pattern matches the empty string
        position = name.end()
        if position >= len(window):
            raise _OutOfBytesError
        if name[1] is None:
            return attributes, position + 1
        value = b""
        if name[2]:
            value, position = _value(window, position)
        attributes.setdefault(name[1].decode("latin-1").lower(), value.decode("latin-1"))


def _value(window: bytes, position: int) -> tuple[bytes, int]:
    quote = window[position : position + 1]
    if quote in (b'"', b"'"):
        end = _after(window, quote, position + 1)
        return window[position + 1 : end - 1], end
    found = _UNQUOTED.match(window, position)
    assert found is not None  # the pattern matches the empty string
    if found.end() >= len(window):
        raise _OutOfBytesError
    return found[0], found.end()


def _meta_charset(attributes: dict[str, str]) -> str | None:
    if "charset" in attributes:
        return _usable(attributes["charset"])
    if attributes.get("http-equiv", "").lower() != "content-type":
        return None
    found = _CONTENT_CHARSET.search(attributes.get("content", ""))
    return None if found is None else _usable(found[1] or found[2] or found[3] or "")


# --- detection --------------------------------------------------------------------------------


def _detect(data: bytes) -> str | None:
    even, odd = data[0:512:2].count(0), data[1:512:2].count(0)
    if abs(even - odd) * 8 > len(data[:512]) > 8:
        return "utf-16be" if even > odd else "utf-16le"
    if data.isascii():
        return _ask_detector(data) if b"\x1b$" in data or b"\x1b(" in data or b"~{" in data else None
    if _is_utf8(data):
        return "utf-8"
    return _ask_detector(data)


def _is_utf8(data: bytes) -> bool:
    """Whether the text is UTF-8; one damaged character in four is forgiven, legacy text never comes near."""
    with contextlib.suppress(UnicodeDecodeError):
        data.decode("utf-8")
        return True
    text = data.decode("utf-8", "replace")
    foreign = len(text) - len(text.encode("ascii", "ignore"))
    return text.count("\ufffd") * 4 <= foreign


# The characters that make up a good part of any text in a language; read through a wrong codec they are rare.
_COMMON: Final[dict[str, frozenset[str]]] = {
    "gb18030": frozenset("的一是不了在人有我他这中大来上个国到说们为以会要时用和地出就分对成可行文件下自而后"),
    "big5": frozenset("的一是不了在人有我他這中大來上個國到說們為以會要時用和地出就分對成可行文件下自而後"),
    "euc-kr": frozenset("이다는을의에하고가지사를기어로한시리자은인도대서그해스일나아수있정보부을전주으트게"),
    "shift_jis": frozenset(map(chr, range(0x3041, 0x30FD))),
    "euc-jp": frozenset(map(chr, range(0x3041, 0x30FD))),
}
_COMMON["johab"] = _COMMON["euc-kr"]
_EAST_ASIAN: Final = frozenset({*_COMMON, "gbk", "cp949"})
_FOREIGN: Final = re.compile(rb"[\x80-\xff]")
_KOI8_UKRAINIAN: Final = re.compile(rb"[\xa4\xa6\xa7\xad\xb4\xb6\xb7\xbd]")
_KOI8_LETTERS: Final = re.compile(rb"[\xc0-\xff]")


def _ask_detector(data: bytes) -> str | None:
    import cchardet

    foreign = _FOREIGN.search(data)
    start = max(0, foreign.start() - _WINDOW) if foreign else 0
    sample = data[start : start + _SAMPLE]
    label = cchardet.detect(sample)["encoding"] or ""
    name = _lookup(label)
    if name in (None, "replacement"):
        name = _python_name(label)
    if name == "utf-8":  # it is not, that was tried before: a few accents in Western text look like that
        return "windows-1252"
    if name in _EAST_ASIAN:
        return _east_asian(sample)
    if name == "koi8-r":
        letters = len(_KOI8_LETTERS.findall(sample))
        return "koi8-u" if len(_KOI8_UKRAINIAN.findall(sample)) * 50 > letters else name
    return name


def _python_name(label: str) -> str | None:
    try:
        return codecs.lookup(label).name
    except LookupError:
        return None


def _east_asian(sample: bytes) -> str:
    """The detector mixes these up; the characters a language is full of tell them apart."""
    first = _FOREIGN.search(sample)
    start = first.start() if first else 0
    passage = sample[start : start + _PASSAGE]
    scores = {candidate: _familiarity(passage, candidate) for candidate in _COMMON}
    best = max(scores, key=scores.__getitem__)
    return best if scores[best] >= _FAMILIAR else "windows-1252"


def _familiarity(sample: bytes, candidate: str) -> float:
    """The share of common characters when the sample is read with the candidate, less what it cannot read."""
    foreign = [character for character in _read(sample, candidate) if character > "\x7f"]
    common = _COMMON[candidate]
    hits = sum((character in common) - (character == "\ufffd") for character in foreign)
    return hits / max(1, len(foreign))


# --- decoding ---------------------------------------------------------------------------------

_PYTHON: Final = {
    "big5": "big5hkscs",
    "euc-jp": "euc_jp",
    "euc-kr": "cp949",
    "gbk": "gb18030",
    "iso-2022-jp": "iso2022_jp_ext",
    "iso-8859-8-i": "iso-8859-8",
    "macintosh": "mac-roman",
    "shift_jis": "cp932",
    "windows-874": "cp874",
    "x-mac-cyrillic": "mac-cyrillic",
}


_RESCUES: Final = {
    "big5": "hydra-web-big5",
    "euc-jp": "hydra-web-jis",
    "gb18030": "hydra-web-euro",
    "gbk": "hydra-web-euro",
    "iso-2022-jp": "hydra-web-jis",
}
_MOST_RESCUES: Final = 50_000


class _Rescues(threading.local):
    left = 0


_rescues: Final = _Rescues()


def _read(data: bytes, name: str) -> str:
    codec = _PYTHON.get(name, name)
    if name.startswith("windows-"):
        return codecs.charmap_decode(data, "strict", _code_page(codec))[0]
    if name in _RESCUES:
        _rescues.left = _MOST_RESCUES
        with contextlib.suppress(UnicodeDecodeError):  # text with more to rescue is noise
            return data.decode(codec, _RESCUES[name])
    return data.decode(codec, "replace")


@functools.cache
def _code_page(codec: str) -> str:
    """Its 256 characters; the standard maps unused bytes below 0xA0 to the control character of that number."""
    page = [bytes((byte,)).decode(codec, "replace") for byte in range(256)]
    return "".join(chr(byte) if page[byte] == "\ufffd" and byte < 0xA0 else page[byte] for byte in range(256))


def _jis_as_cp932(pair: bytes) -> tuple[bytes, str]:
    """The same character in Shift_JIS, whose Python codec knows the rows of NEC and IBM."""
    row, cell = (pair[0] & 0x7F) - 0x20, (pair[1] & 0x7F) - 0x20
    lead = ((row + 1) >> 1) + (0x80 if row <= 62 else 0xC0)
    trail = cell + (0x9E if row % 2 == 0 else 0x3F if cell <= 63 else 0x40)
    return bytes((lead & 0xFF, trail & 0xFF)), "cp932"


def _big5_as_cp950(pair: bytes) -> tuple[bytes, str]:
    return pair, "cp950"


def _broken(error: UnicodeError) -> UnicodeDecodeError:
    """The error, or raises it once there have been too many in a text."""
    assert isinstance(error, UnicodeDecodeError)
    _rescues.left -= 1
    if _rescues.left < 0:
        raise error
    return error


def _read_euro(error: UnicodeError) -> tuple[str, int]:
    """In Chinese text the standard reads the single byte 0x80 as the euro sign."""
    broken = _broken(error)
    is_euro = broken.object[broken.start] == 0x80
    return ("\u20ac", broken.start + 1) if is_euro else ("\ufffd", broken.end)


def _rescue_pairs(other: Callable[[bytes], tuple[bytes, str]]) -> Callable[[UnicodeError], tuple[str, int]]:
    """An error handler that reads a two-byte character through another codec."""

    def handle(error: UnicodeError) -> tuple[str, int]:
        broken = _broken(error)
        pair = broken.object[broken.start : broken.start + 2]
        if len(pair) == 2 and (pair[0] < 0x80) == (pair[1] < 0x80) and min(pair) > 0x20:
            translated, codec = other(pair)
            text = translated.decode(codec, "ignore")
            if len(text) == 1:
                return text, broken.start + 2
        return "\ufffd", broken.end

    return handle


codecs.register_error("hydra-web-euro", _read_euro)
codecs.register_error("hydra-web-jis", _rescue_pairs(_jis_as_cp932))
codecs.register_error("hydra-web-big5", _rescue_pairs(_big5_as_cp950))

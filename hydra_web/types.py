"""The vocabulary: what callers, providers and tools hand to one another.

Every model is frozen. Python names are snake_case; JSON (`to_json_dict`) is camelCase
and leaves absent fields out. Booleans are never accepted where a number is meant.
"""

import re
from datetime import date
from typing import Annotated, Any, ClassVar, Final, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, StrictBool, StrictInt, field_validator
from pydantic.alias_generators import to_camel

from hydra_web.text import escape_html, escape_markdown, one_line, strip_invisible

__all__ = [
    "WEB_SEARCH_CAPABILITIES",
    "HtmlBody",
    "Number",
    "PdfBody",
    "SearchConfigField",
    "TextBody",
    "WebFetchBody",
    "WebFetchRequest",
    "WebFetchResult",
    "WebSearchCapabilities",
    "WebSearchProviderDescriptor",
    "WebSearchRequest",
    "WebSearchResult",
    "WebSearchSettings",
    "WebSearchSource",
    "WebSearchType",
]


def _replace_surrogates(text: str) -> str:
    """The text as valid Unicode, so that it can be encoded anywhere."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


Text: TypeAlias = Annotated[str, AfterValidator(_replace_surrogates)]
"""A stranger's text, always valid Unicode."""

Number: TypeAlias = StrictInt | Annotated[float, Field(strict=True, allow_inf_nan=False)]
"""An integer or a finite float; never a boolean."""

WebSearchType: TypeAlias = Literal["web", "images", "news", "videos", "academic"]
"""What kind of results a search asks for."""

_PERIODS = frozenset({"day", "week", "month", "year"})
_INTERVAL = re.compile(r"(\d{4}-\d{2}-\d{2}|\.\.)/(\d{4}-\d{2}-\d{2}|\.\.)", re.ASCII)

# How much of a stranger's text a notebook shows.
_SHOWN_LINE_CHARS: Final = 300
_SHOWN_PAGE_CHARS: Final = 2_000
_WEB_URL: Final = re.compile(r"https?://[^\s<>\\\"\x00-\x1f]+", re.ASCII | re.IGNORECASE)
_BACKTICKS: Final = re.compile(r"`{3,}")


def _is_web(url: str) -> bool:
    return _WEB_URL.fullmatch(url) is not None


class _Model(BaseModel):
    model_config: ClassVar[ConfigDict] = ConfigDict(
        frozen=True,
        extra="forbid",
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
        hide_input_in_errors=True,
    )

    def to_json_dict(self) -> dict[str, Any]:
        """The canonical JSON form: camelCase keys, absent fields left out."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)


class WebSearchRequest(_Model):
    """One search, as a provider receives it."""

    query: str
    """What to look for, passed on untouched."""
    type: WebSearchType | None = None
    """The kind of results; absent means `web`."""
    country: str | None = None
    """Two-letter country code (ISO 3166-1 alpha-2), lower case."""
    language: str | None = None
    """Language tag (BCP 47), lower case, such as `vi` or `zh-cn`."""
    date: str | None = None
    """`day`, `week`, `month`, `year`, or an ISO 8601 interval `A/B`, `A/..`, `../B` of whole days."""
    max_results: Annotated[int, Field(strict=True, ge=1)] | None = None
    """The most sources wanted; absent means the provider's own number."""

    @field_validator("date")
    @classmethod
    def _check_date(cls, value: str | None) -> str | None:
        if value is None or value in _PERIODS:
            return value
        days = _INTERVAL.fullmatch(value)
        if days is None or days.groups() == ("..", ".."):
            raise ValueError("date must be day, week, month, year or an ISO interval A/B, A/.. or ../B")
        bounds = [date.fromisoformat(day) for day in days.groups() if day != ".."]
        if bounds != sorted(bounds):
            raise ValueError("date interval must not end before it starts")
        return value


class WebSearchSource(_Model):
    """One result of a search."""

    url: Text
    """Where the source is."""
    title: Text | None = None
    """Its title, as the provider gave it."""
    snippet: Text | None = None
    """A passage that shows why it matched."""
    published_at: Text | None = None
    """When it was published, as the provider gave it; our own providers give ISO 8601 or nothing."""
    provider: str | None = None
    """The id of the provider that found it."""
    position: Number | None = None
    """Its rank in the provider's list."""
    score: Number | None = None
    """The provider's own measure of relevance; larger is better."""

    def _repr_html_(self) -> str:
        label = escape_html(one_line(self.title or self.url)[:_SHOWN_LINE_CHARS])
        link = (
            f'<a href="{escape_html(self.url)}" rel="noopener noreferrer">{label}</a>' if _is_web(self.url) else label
        )
        return f"{link}<br><small>{escape_html(one_line(self.snippet or '')[:_SHOWN_LINE_CHARS])}</small>"

    def _repr_markdown_(self) -> str:
        label = escape_markdown(one_line(self.title or self.url)[:_SHOWN_LINE_CHARS])
        link = f"[{label}](<{self.url}>)" if _is_web(self.url) else label
        snippet = escape_markdown((self.snippet or "")[:_SHOWN_LINE_CHARS])
        return f"{link} — {snippet}" if snippet else link


class WebSearchResult(_Model):
    """What one search found."""

    sources: tuple[WebSearchSource, ...]
    """The sources, best first."""
    truncated: StrictBool
    """Whether sources were left out to stay within a bound."""
    content: Text | None = None
    """A summary answer, from providers that write one."""
    provider: str | None = None
    """The id of the provider that ran the search."""
    query: str | None = None
    """The query that was run."""
    status_code: StrictInt | None = None
    """The HTTP status of the provider's answer."""
    notices: tuple[str, ...] = ()
    """What the provider could not honour, in plain words."""

    def to_json_dict(self) -> dict[str, Any]:
        """The canonical JSON form; `notices` appears only when there are any."""
        data = super().to_json_dict()
        if not self.notices:
            del data["notices"]
        return data

    def _repr_html_(self) -> str:
        items = "".join(f"<li>{source._repr_html_()}</li>" for source in self.sources)
        return f"<ol>{items}</ol>" if items else "<p>No results found.</p>"

    def _repr_markdown_(self) -> str:
        lines = [f"{number}. {source._repr_markdown_()}" for number, source in enumerate(self.sources, 1)]
        return "\n".join(lines) or "No results found."


class WebFetchRequest(_Model):
    """One page to fetch."""

    url: str
    """The address, passed on untouched."""


class HtmlBody(_Model):
    """A page in HTML, decoded to text."""

    kind: Literal["html"] = "html"
    """The tag of this arm."""
    content: Text
    """The HTML source."""


class TextBody(_Model):
    """A page that is already text: plain, Markdown, JSON or XML."""

    kind: Literal["text"] = "text"
    """The tag of this arm."""
    content: Text
    """The text."""


class PdfBody(_Model):
    """The text of a PDF document."""

    kind: Literal["pdf"] = "pdf"
    """The tag of this arm."""
    pages: tuple[Text, ...]
    """The text of each page that was read, in order."""
    first_page: Annotated[int, Field(strict=True, ge=1)] = 1
    """The number, from 1, of the first page in `pages`."""


WebFetchBody: TypeAlias = Annotated[HtmlBody | TextBody | PdfBody, Field(discriminator="kind")]
"""The closed union of page bodies, told apart by `kind`; `match` on it and end in `assert_never`."""


class WebFetchResult(_Model):
    """One fetched page."""

    url: Text
    """The final address, after redirects."""
    status_code: StrictInt
    """The HTTP status; a page that answers 404 is a result, not an error."""
    body: WebFetchBody
    """The decoded content."""
    truncated: StrictBool
    """Whether content was cut to stay within a bound."""
    meta: dict[str, JsonValue] = Field(default_factory=dict)
    """Facts about the fetch, such as `charset` and `fetchedAt`; docs/limits.md lists the keys."""

    def _repr_html_(self) -> str:
        text = escape_html(self._shown_text())
        return f'<p>{escape_html(self._headline())}</p><pre style="white-space:pre-wrap">{text}</pre>'

    def _repr_markdown_(self) -> str:
        text = strip_invisible(self._shown_text())
        fence = "`" * (max((len(run) for run in _BACKTICKS.findall(text)), default=2) + 1)
        return f"{escape_markdown(self._headline())}\n\n{fence}text\n{text}\n{fence}"

    def _headline(self) -> str:
        return f"{one_line(self.url)} (HTTP {self.status_code}, {self.body.kind})"

    def _shown_text(self) -> str:
        text = "\n\n".join(self.body.pages) if isinstance(self.body, PdfBody) else self.body.content
        return text if len(text) <= _SHOWN_PAGE_CHARS else f"{text[:_SHOWN_PAGE_CHARS]}…"


class WebSearchCapabilities(_Model):
    """Which kinds of search a provider can run."""

    web: bool = True
    """Ordinary web pages."""
    images: bool = False
    """Pictures."""
    news: bool = False
    """News articles."""
    videos: bool = False
    """Videos."""
    academic: bool = False
    """Scholarly works."""

    def supports(self, kind: WebSearchType) -> bool:
        """Whether searches of this kind can be run."""
        return bool(getattr(self, kind))


WEB_SEARCH_CAPABILITIES = WebSearchCapabilities()
"""Web search and nothing else: what most providers can do."""


class SearchConfigField(_Model):
    """One setting of a provider, described for a settings form."""

    key: str
    """The key in the provider's settings section."""
    label: str
    """What a person reads beside the control."""
    kind: Literal["text", "number", "select", "json"]
    """The control to show."""
    options: tuple[str, ...] | None = None
    """The choices of a `select`."""
    advanced: bool | None = None
    """Whether the control belongs in a folded section."""
    hint: str | None = None
    """One more sentence for the person."""


class WebSearchProviderDescriptor(_Model):
    """How a search provider presents itself to people."""

    id: str
    """The provider's id."""
    display_name: str
    """Its name for people."""
    description: str | None = None
    """One sentence about it."""
    capabilities: WebSearchCapabilities = WEB_SEARCH_CAPABILITIES
    """The kinds of search it can run."""
    configurable: bool = False
    """Whether it has settings a person can change."""
    settings_ns: str | None = None
    """The namespace of its settings section."""
    credential_ref: str | None = None
    """The name of the credential it uses."""
    fields: tuple[SearchConfigField, ...] = ()
    """Its settings, in the order a form shows them."""


class WebSearchSettings(_Model):
    """The operator's saved search preferences (settings namespace `web-search`)."""

    enabled: StrictBool = True
    """Whether web search may run at all."""
    provider: str = ""
    """The id of the selected provider; empty means none was chosen."""
    max_queries: Annotated[int, Field(strict=True, ge=1, le=100)] = 4
    """The most queries one tool call may hold, 1 to 100."""
    max_results: Annotated[int, Field(strict=True, ge=1, le=100)] = 8
    """The most sources one tool call returns, 1 to 100."""
    timeout_ms: Annotated[int, Field(strict=True, ge=1, le=600_000)] = 60_000
    """How long one search may take, in milliseconds, up to 600000."""

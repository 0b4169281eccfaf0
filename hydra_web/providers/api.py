"""What a provider of your own is written with, beside `SearchApi`."""

from hydra_web.providers._http import ApiCall
from hydra_web.providers._locale import (
    GOOGLE_LANGUAGES,
    Locale,
    Vocabularies,
    iso_639_1,
    lower_country,
    unsupported,
    upper_country,
)
from hydra_web.providers._reading import Failure, Found, answer_text, as_object, as_text, objects, source

__all__ = [
    "GOOGLE_LANGUAGES",
    "ApiCall",
    "Failure",
    "Found",
    "Locale",
    "Vocabularies",
    "answer_text",
    "as_object",
    "as_text",
    "iso_639_1",
    "lower_country",
    "objects",
    "source",
    "unsupported",
    "upper_country",
]

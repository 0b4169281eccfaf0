"""What each provider that ships with hydra-web needs before it can run."""

from typing import Final

__all__ = ["LOCAL_ID", "STORE_VARIABLE", "describe_need", "known_ids"]

LOCAL_ID: Final = "local"
STORE_VARIABLE: Final = "HYDRA_WEB_STORE"


def known_ids() -> list[str]:
    """The ids of the search providers that ship with hydra-web, in the order people see them."""
    from hydra_web.providers import PROVIDER_CLASSES

    return [*(kind.id for kind in PROVIDER_CLASSES), LOCAL_ID]


def describe_need(provider_id: str) -> str | None:
    """What a known provider needs: a variable, a setting, or nothing (empty); None for an unknown id."""
    from hydra_web.providers import PROVIDER_CLASSES

    if provider_id == LOCAL_ID:
        return STORE_VARIABLE
    kind = next((kind for kind in PROVIDER_CLASSES if kind.id == provider_id), None)
    if kind is None:
        return None
    if kind.usual_base_url:
        return " or ".join(kind.credential_names) if kind.key_required else ""
    return kind.base_url_env or f"the setting {kind.namespace}.{kind.setting_names['base_url']}"

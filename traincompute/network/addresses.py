"""Which addresses may be fetched: https, and http on this machine. Imports nothing that opens a connection."""

from __future__ import annotations

import ipaddress
from urllib.parse import urljoin, urlsplit

from traincompute.base.places import ReleaseError

NETWORK = 3  # exit code
CHECK = "open the address in a browser and correct it"


class FetchError(ReleaseError):
    """The file could not be had; str() is one line: address, reason, remedy."""

    def __init__(self, url: str, reason: str, remedy: str) -> None:
        self.url, self.reason, self.remedy = url, " ".join(reason.split()), remedy
        super().__init__(" ".join(f"{url}: {reason}; {remedy}".split()), NETWORK)


def check_address(url: str, came_from: str = "") -> None:
    """Raises FetchError for what `address_fault` finds."""
    if fault := address_fault(url, came_from):
        raise FetchError(url, fault, CHECK)


def address_fault(url: str, came_from: str = "") -> str:
    """Why the address is not fetched, "" where it may be: it is neither https nor http on loopback, has a user name, or
    leads to this machine though `came_from`, which named it, is elsewhere."""
    try:
        url = urljoin(came_from, url)
        parts = urlsplit(url)
        readable = parts.port != 0 and bool(parts.hostname)
    except ValueError:
        return f"unreadable address {url!r}"
    local = is_loopback(url)
    if not readable or "@" in parts.netloc or not (parts.scheme == "https" or (parts.scheme == "http" and local)):
        leads = f", to which {came_from} leads" if came_from else ""
        return f"refused address {url!r}{leads}: only https:// (and http:// on this machine) is fetched, without a user name"
    if local and came_from and not is_loopback(came_from):
        return f"refused address {url!r}: nothing from outside ({came_from}) may lead to this machine"
    return ""


def is_loopback(url: str) -> bool:
    """Whether the host of a readable address is this machine."""
    host = urlsplit(url).hostname or ""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False

"""Who signed a release: SHA256SUMS.sig, as ssh-keygen makes and checks it, held against the keys that may sign."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from traincompute.base.places import PACKAGE, SIGNATURE
from traincompute.verification.sums import SUMS

NAMESPACE = "traincompute"  # of the signature, as `traincompute dev release` gives it to ssh-keygen
BUILT_IN = Path(PACKAGE) / "allowed_signers"  # written into the wheel where the maker named one
TIMEOUT_S = 10


def known_signers() -> Path | None:
    """Who may sign, in the format of ssh-keygen: $TRAINCOMPUTE_SIGNERS, else what the package was built with, if anything."""
    given = os.environ.get("TRAINCOMPUTE_SIGNERS")
    if given:
        return Path(given)
    return BUILT_IN if BUILT_IN.is_file() else None


def signature_fault(sums: Path, signature: Path, signers: Path | None) -> str:
    """What speaks against the signature of a SHA256SUMS, "" where nothing does; who made it is looked up among the signers."""
    if not signature.is_file() or signature.is_symlink():
        return f"{SIGNATURE}: is missing"
    if signers is None:
        remedy = "name a file with the keys of the publisher: --allowed-signers FILE, or TRAINCOMPUTE_SIGNERS"
        return f"{SIGNATURE}: cannot be checked: nobody is known who may sign; {remedy}"
    options = ["-f", str(signers), "-s", str(signature)]
    try:
        found = _ssh_keygen("find-principals", options, b"")
        makers = found.stdout.decode(errors="replace").splitlines() if found.returncode == 0 else []
        if not makers:
            return f"{SIGNATURE}: nobody in {signers} has made it"
        checked = _ssh_keygen("verify", [*options, "-I", makers[0], "-n", NAMESPACE], sums.read_bytes())
    except FileNotFoundError:
        return f"{SIGNATURE}: cannot be checked without ssh-keygen"
    except subprocess.TimeoutExpired:
        return f"{SIGNATURE}: ssh-keygen did not end within {TIMEOUT_S} s"
    return "" if checked.returncode == 0 else f"{SIGNATURE}: does not fit {SUMS}"


def _ssh_keygen(what: str, options: list[str], content: bytes) -> subprocess.CompletedProcess[bytes]:
    command = ["ssh-keygen", "-Y", what, *options]
    return subprocess.run(command, input=content, capture_output=True, timeout=TIMEOUT_S)

"""Whether there is memory enough, said in one line: what runs short in the middle may die without a word."""

from __future__ import annotations

import errno

READER, BUILDER = 800_000_000, 3_000_000_000  # bytes of addresses that the libraries of a command take, with its work


def too_little(builder: bool) -> str:
    """What the system lets this process have too little of for a command of that kind; "" where there is enough."""
    try:
        import resource  # Windows has none
    except ImportError:
        return ""
    needed, limit = BUILDER if builder else READER, resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit == resource.RLIM_INFINITY or limit >= needed:
        return ""
    return f"{needed // 10**6} MB of memory, and this process may have {limit // 10**6} MB; raise `ulimit -v`"


def ran_short(error: BaseException) -> bool:
    """Whether an error means that there was no memory left."""
    if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM):
        return True
    return any(words in str(error) for words in ("Out of Memory Error", "bad allocation", "failed to map segment"))

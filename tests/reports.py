"""What the tests of reports share: hostile names, a report full of them, and the browser that opens it."""

from __future__ import annotations

import functools
import shutil
from importlib.util import find_spec

import numpy as np
import pytest

from consensa import LWGP
from consensa.report import report_content

HOSTILE = [
    "<script>alert(1)</script>",
    "\"'`></textarea><img src=x onerror=alert(1)>",
    "</script><script>document.title='gone'</script>",
    "x" * 10_000,
    "👩‍👩‍👧‍👦" * 3_000,
    "שלום \u202e evil \u2066",
    "مرحبا بالعالم",
    "nul\x00bell\x07escape\x1b[31m",
    "lone \ud800 surrogate \udfff",
    "line\u2028para\u2029end",
    "&lt;b&gt; &amp; ${data} {{x}} $title",
    "Z̸͖͝ä̶́l̷͊g̵̈́o̴͌" * 50,
    "-->\n]]>\r\n<!--",
    "",
    " ",
]
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
BROWSER = next((path for path in map(shutil.which, BROWSERS) if path), None)
REASON = (
    "playwright is not installed" if find_spec("playwright") is None else f"no browser found ({', '.join(BROWSERS)})"
)
NO_BROWSER = pytest.mark.skipif(BROWSER is None or find_spec("playwright") is None, reason=REASON)


@functools.cache
def hostile_content():
    rng = np.random.default_rng(0)
    n, m = 2500, 16
    labels = rng.integers(12, size=(n, m))
    model = LWGP(n_clusters=25, random_state=0, n_init=1).fit(labels)  # more clusters than colours
    names = [f"{HOSTILE[i % len(HOSTILE)]}{i}" for i in range(n)]
    X = rng.normal(size=(n, 60)) * 10.0 ** rng.integers(-300, 300, size=60)
    return report_content(
        model,
        X,
        ids=names,
        feature_names=names[:60],
        truth=[names[i % 40] for i in range(n)],
        others={HOSTILE[0]: names, HOSTILE[3]: labels[:, 0]},
        title=HOSTILE[2],
        source=HOSTILE[1],
        partition_names=names[:m],
    )

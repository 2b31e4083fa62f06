"""The picture of a report in the README: ``python -m tools.report_picture`` (make picture) draws it anew."""

from __future__ import annotations

import io
import shutil
import tempfile
from pathlib import Path

from sklearn.datasets import load_digits

from consensa import EnsembleClustering

TARGET = Path(__file__).resolve().parent.parent / "docs" / "images" / "report.png"
SIZE = {"width": 1240, "height": 1150}


def take_picture(page_file: Path) -> bytes:
    """Open a report in a headless browser and return the top of it as PNG."""
    from playwright.sync_api import sync_playwright

    browser_file = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=browser_file, args=["--no-sandbox"])
        page = browser.new_page(viewport=SIZE, color_scheme="light")  # type: ignore[arg-type]
        page.goto(page_file.as_uri())
        page.wait_for_selector("html[data-ready=true]")
        picture = page.screenshot()
        browser.close()
    return picture


def main() -> None:
    """Cluster the digits, write the report, keep a picture with few colours."""
    from PIL import Image

    digits = load_digits()
    names = [f"pixel {j // 8}, {j % 8}" for j in range(64)]
    model = EnsembleClustering(n_clusters=10, random_state=0).fit(digits.data)
    with tempfile.TemporaryDirectory() as folder:
        page_file = Path(folder, "report.html")
        model.report(page_file, feature_names=names, truth=digits.target, title="Handwritten digits")
        picture = Image.open(io.BytesIO(take_picture(page_file)))
    picture.convert("RGB").quantize(96, dither=Image.Dither.NONE).save(TARGET, optimize=True)
    print(f"{TARGET}: {TARGET.stat().st_size / 1000:.0f} KB")


if __name__ == "__main__":
    main()

"""The documentation builds as a site, strictly, and the site fetches nothing from elsewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers import ROOT

pytest.importorskip("material", reason="the dependency group docs is not installed")
LOADS = re.compile(
    r"""<(?:script|img|iframe)[^>]*\ssrc=["']?(?:https?:)?//|<link[^>]*stylesheet[^>]*href=["']?https?:|@import|url\(["']?https?:"""
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("site")
    subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(target)],
        cwd=ROOT,
        check=True,
    )
    return target


def test_every_page_of_the_repository_is_in_the_site(site: Path) -> None:
    pages = {page.stem for page in site.glob("*.html")}
    assert pages >= {page.stem for page in (ROOT / "docs").glob("*.md")} | {"index", "changelog", "examples"}
    assert "with edgemem.open" in re.sub("<[^>]*>", "", (site / "index.html").read_text(encoding="utf-8"))


def test_no_page_loads_anything_from_elsewhere(site: Path) -> None:
    for page in (*site.glob("*.html"), *site.rglob("*.css"), *site.rglob("*.svg")):
        found = LOADS.search(page.read_text(encoding="utf-8"))
        assert found is None, f"{page.name} loads {found.group() if found else ''}"


def test_a_link_to_a_file_that_is_no_page_becomes_its_name() -> None:
    from tests.docs_site import relinked

    assert relinked("[tables](../edgemem/store/schema.py)", "docs") == "tables (`edgemem/store/schema.py`)"
    assert relinked("[`x.py`](../x.py)", "docs") == "`x.py`"
    assert relinked("[e](examples/README.md)", "") == "[e](examples.md)"
    assert relinked("[f](docs/file.md#backups)", "") == "[f](file.md#backups)"
    assert relinked("[web](https://example.org)", "docs") == "[web](https://example.org)"

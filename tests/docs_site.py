"""What the site has beyond ``docs/``: a hook of MkDocs (``mkdocs.yml``).

The pages stand in the repository and are read there too, with links to files outside ``docs/``. For the
site, README, changelog and examples become pages, and a link to any other file becomes its name.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent

PAGES = {"README.md": "index.md", "CHANGELOG.md": "changelog.md", "examples/README.md": "examples.md"}
"""Pages of the site by the file they are made from."""

_LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?://|#)([^)#\s]+)(#[^)\s]*)?\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that stand outside ``docs/``."""
    for source, page in PAGES.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        if source == "examples/README.md":
            text += "".join(_example(path) for path in sorted((ROOT / "examples").glob("*.py")))
        files.append(File.generated(config, page, content=relinked(text, posixpath.dirname(source))))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """The text of a page in ``docs/`` with links that lead somewhere on the site."""
    return markdown if page.file.src_uri in PAGES.values() else relinked(markdown, "docs")


def relinked(text: str, folder: str) -> str:
    """A page of ``folder`` with its links as seen from ``docs/``; links to files that are no pages become names."""

    def link(found: re.Match[str]) -> str:
        image, words, target, anchor = found.groups()
        path = posixpath.normpath(posixpath.join(folder, target))
        inside = PAGES.get(path) or (path.removeprefix("docs/") if path.startswith("docs/") else None)
        if inside is None:
            return words if "`" in words else f"{words} (`{path}`)"
        return f"{image}[{words}]({inside}{anchor or ''})"

    return _LINK.sub(link, text)


def _example(path: Path) -> str:
    return f"\n## {path.name}\n\n```python\n{path.read_text(encoding='utf-8')}```\n"

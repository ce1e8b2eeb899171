"""The README and the project links of the metadata of a wheel, where relative links lead nowhere.

hatchling calls it when a package is built. If AWRLENS_BASE_URL is set, the address under which the
files of this version can be read, links begin with it. Otherwise the files are named without links.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any, Final

from hatchling.metadata.plugin.interface import MetadataHookInterface

#: The links of the project: files of the checkout.
LINKS: Final = {
    "Documentation": "docs/index.md", "Changelog": "CHANGELOG.md", "Security": "SECURITY.md",
}  # fmt: skip


def readme(text: str, base: str) -> str:
    """A README whose links begin with an address; without one, they are plain text."""

    def link(found: re.Match[str]) -> str:
        image, title, file = found.groups()
        if base:
            return f"{image}[{title}]({base}/{file})"
        if image:
            return ""
        return title if file.startswith(title) else f"{title} (`{file}`)"

    return re.sub(r"(!?)\[([^\]]*)\]\((?!\w+:|#)([^)\s]+)\)", link, text)


class Metadata(MetadataHookInterface):
    """What pyproject.toml calls dynamic."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the README and, if there is an address, the links of the project."""
        base = os.environ.get("AWRLENS_BASE_URL", "").rstrip("/")
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": readme(text, base)}
        if base:
            metadata["urls"] = {name: f"{base}/{file}" for name, file in LINKS.items()}

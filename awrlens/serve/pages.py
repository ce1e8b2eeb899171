"""Pages of the site: templates, their content policy, and the bar above an analysis."""

from __future__ import annotations

import base64
import hashlib
import re
import time
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import jinja2
from markupsafe import Markup
from starlette.responses import HTMLResponse

from awrlens import __version__
from awrlens.lazy import regex
from awrlens.render import pages as rendered
from awrlens.render.wording import safe
from awrlens.serve.client import VISIT

if TYPE_CHECKING:
    from awrlens.serve.client import Client

_RENDER: Final = Path(rendered.__file__).parent
_HERE: Final = Path(__file__).parent
_SCRIPT: Final = regex(r"<script>(.*?)</script>", re.S)


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_HERE / "templates"), autoescape=True,
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip

    def written(seconds: float | None, format_: str) -> str:
        return time.strftime(format_, time.gmtime(seconds)) if seconds else ""

    environment.filters.update(
        safe_text=safe, coded=rendered.code, day=partial(written, format_="%Y-%m-%d"),
        moment=partial(written, format_="%Y-%m-%d %H:%M"),
    )  # fmt: skip
    return environment


def page(client: Client, template: str, status: int = 200, **values: Any) -> HTMLResponse:  # noqa: ANN401
    """A page of the site; jinja2 escapes every value."""
    text = _environment().get_template(f"{template}.html.j2").render(
        who=client.who, form_token=client.forgery_token(), version=__version__,
        oidc=client.service.provider is not None, **values
    )  # fmt: skip
    response = HTMLResponse(text, status)
    visit = getattr(client.request.state, "visit", None)
    if visit is not None:
        client.set_cookie(response, VISIT, visit)
    return response


@cache
def asset(name: str) -> tuple[bytes, str] | None:
    """A file of the site and its media type."""
    shared = {"site.css": "page.css", "site.js": "theme.js"}.get(name)
    parts = [_RENDER / "templates" / shared] if shared else []
    if name not in ("site.css", "site.js", "names.js"):
        return None
    content = b"\n".join(part.read_bytes() for part in (*parts, _HERE / "static" / name))
    return content, "text/css" if name.endswith(".css") else "text/javascript"


@cache
def _names() -> str:
    return (_HERE / "static" / "names.js").read_text(encoding="utf-8")


@cache
def _ours() -> frozenset[str]:
    templates, uplot = _RENDER / "templates", _RENDER / "assets" / "uplot"
    texts = [file.read_text(encoding="utf-8") for file in templates.glob("*.js")]
    license_, script = (
        (uplot / name).read_text(encoding="utf-8").strip()
        for name in ("LICENSE", "uPlot.iife.min.js")
    )
    texts += [f"/*\n{license_}\n*/\n{script}", _names()]
    return frozenset(text.strip() for text in texts)


def analysis(text: str, bar: Markup) -> HTMLResponse:
    """An analysis as a page of the site: with a bar of links, and only our scripts allowed."""
    whole = text.replace("<body>", f"<body>\n{bar}", 1)
    whole = whole.replace("</body>", f"<script>{_names()}</script>\n</body>", 1)
    hashes = {
        base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        for script in _SCRIPT.findall(whole)
        if script.strip() in _ours()
    }
    scripts = " ".join(f"'sha256-{digest}'" for digest in sorted(hashes)) or "'none'"
    policy = (
        f"default-src 'none'; script-src {scripts}; style-src 'unsafe-inline'; img-src data:;"
        " form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
    )
    return HTMLResponse(whole, headers={"Content-Security-Policy": policy})


#: The header of the site above that of an analysis, whose brand it replaces.
_BAR: Final = Markup(
    "<style>.site {{ display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1rem; "
    "padding: .4rem 1rem; border-bottom: 1px solid var(--line); }} "
    ".site nav {{ overflow-x: auto; }} "
    ".site ul {{ display: flex; gap: 1rem; list-style: none; margin: 0; padding: 0; "
    "white-space: nowrap; font-size: .9rem; }} .site a {{ color: inherit; text-decoration: none; "
    "display: inline-block; padding: .2rem 0; }} .site ~ header .brand {{ display: none; }}</style>"
    '<div class="site"><nav aria-label="Site"><ul>{}</ul></nav>'
    '<nav aria-label="This analysis"><ul>{}<li><button class="plain" id="own-names" type="button" '
    'aria-pressed="false" title="Only this browser has them, until it is closed" hidden>'
    "Show my names</button></li></ul></nav></div>"
)
_SITE: Final = (
    ("/", Markup("<b>awrlens</b>")), ("/", "Upload"), ("/reports", "Reports"), ("/fleet", "Fleet"),
    ("/kept", "Data and privacy"),
)  # fmt: skip


def bar(links: list[tuple[str, str]], *, site: bool = True) -> Markup:
    """The header of the site with links to what else there is of an analysis."""
    item = Markup('<li><a href="{}">{}</a></li>')
    groups = (_SITE if site else (), links)
    return _BAR.format(*(Markup("").join(item.format(*link) for link in group) for group in groups))

"""Problems as answers: RFC 9457 documents, without paths, host names or traces."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, Final

from starlette.responses import JSONResponse

MEDIA: Final = "application/problem+json"


class Document(JSONResponse):
    """JSON that ends with a line break, for terminals."""

    def render(self, content: Any) -> bytes:  # noqa: ANN401 - any document
        """The bytes of the answer."""
        return super().render(content) + b"\n"


class Problem(Exception):  # noqa: N818 - the word of the RFC
    """An answer with an error status; ``detail`` is a sentence for the user."""

    def __init__(
        self,
        status: int,
        detail: str,
        headers: dict[str, str] | None = None,
        **more: Any,  # noqa: ANN401
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.headers = headers or {}
        self.more = more

    def response(self) -> Document:
        """The answer to a program."""
        title = HTTPStatus(self.status).phrase
        content = {"title": title, "status": self.status, "detail": self.detail, **self.more}
        return Document(content, self.status, self.headers, MEDIA)


def busy(detail: str, after_s: int = 2) -> Problem:
    """The server has no room at the moment."""
    return Problem(503, f"{detail} Try again later.", {"Retry-After": str(after_s)})


def missing() -> Problem:
    """Unknown, or of a project that the client may not see: the answer is the same."""
    return Problem(404, "There is nothing at this address.")

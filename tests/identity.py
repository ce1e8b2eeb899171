"""A small identity provider (OpenID Connect) on loopback, which can also misbehave."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwk, jwt

CLIENT, SECRET = "awrlens-test", "s3cret/with signs"


class Provider:
    """Everyone who comes is logged in as ``claims`` says."""

    def __init__(self) -> None:
        self.key = jwk.RSAKey.generate_key(2048, {"kid": "first", "use": "sig"})
        self.claims: dict[str, Any] = {}
        self.error = ""
        self.codes: dict[str, dict[str, str]] = {}
        self.requests: list[str] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        #: Another site than 127.0.0.1 for a browser.
        self.url = f"http://localhost:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def rotate(self) -> None:
        """Sign with another key from now on."""
        name = secrets.token_hex(4)
        self.key = jwk.RSAKey.generate_key(2048, {"kid": name, "use": "sig"})

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                provider.requests.append(self.path)
                path, query = urlsplit(self.path).path, parse_qs(urlsplit(self.path).query)
                if path == "/authorize":
                    self.send_response(302)
                    asked = {name: each[0] for name, each in query.items()}
                    self.send_header("Location", provider.back(asked))
                    self.end_headers()
                    return
                self._put(200, provider.document(path))

            def do_POST(self) -> None:
                data = self.rfile.read(int(self.headers["Content-Length"])).decode()
                form = {name: each[0] for name, each in parse_qs(data).items()}
                self._put(*provider.token(form, self.headers.get("Authorization", "")))

            def _put(self, status: int, document: dict[str, Any]) -> None:
                body = json.dumps(document).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        return Handler

    def document(self, path: str) -> dict[str, Any]:
        """What it says of itself, or its keys."""
        if path == "/.well-known/openid-configuration":
            return {
                "issuer": self.url,
                "authorization_endpoint": f"{self.url}/authorize",
                "token_endpoint": f"{self.url}/token",
                "jwks_uri": f"{self.url}/jwks",
            }
        return {"keys": [self.key.as_dict(private=False)]} if path == "/jwks" else {}

    def back(self, asked: dict[str, str]) -> str:
        """The address of the browser after the log-in."""
        if self.error:
            query = {"error": self.error, "state": asked["state"]}
            return f"{asked['redirect_uri']}?{urlencode(query)}"
        code = secrets.token_hex(8)
        self.codes[code] = asked
        query = {"code": code, "state": asked["state"], "iss": self.url}
        return f"{asked['redirect_uri']}?{urlencode(query)}"

    def token(self, form: dict[str, str], authorization: str) -> tuple[int, dict[str, Any]]:
        """A token for a code, once, for the client that began."""
        asked = self.codes.pop(form.get("code", ""), None)
        pair = base64.b64decode(authorization.removeprefix("Basic ")).decode()
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        good = (
            asked is not None
            and pair == f"{CLIENT}:s3cret%2Fwith%20signs"
            and form["redirect_uri"] == asked["redirect_uri"]
            and asked["code_challenge_method"] == "S256"
            and asked["code_challenge"] == challenge
        )
        if not good or asked is None:
            return 400, {"error": "invalid_grant"}
        now = int(time.time())
        claims = {"iss": self.url, "aud": CLIENT, "sub": "user-1", "iat": now, "exp": now + 300,
                  "nonce": asked["nonce"], **self.claims}  # fmt: skip
        return 200, {"token_type": "Bearer", "id_token": self._signed(claims)}

    def _signed(self, claims: dict[str, Any]) -> str:
        given = {name: each for name, each in claims.items() if each is not None}
        header = {"alg": "RS256", "kid": self.key.kid}
        return jwt.encode(header, given, self.key, algorithms=["RS256"])


@contextmanager
def providing() -> Iterator[Provider]:
    found = Provider()
    try:
        yield found
    finally:
        found.close()

"""Metrics in the text format of Prometheus; no label contains a name of a report or user."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


class Metrics:
    """What a server counts and measures."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "awrlens_requests", "Answers by method, route and status.",
            ["method", "route", "status"], registry=self._registry,
        )  # fmt: skip
        self._seconds = Histogram(
            "awrlens_request_seconds", "Seconds from request to answer.", ["route"],
            buckets=_SECONDS, registry=self._registry,
        )  # fmt: skip
        self._analyses = Histogram(
            "awrlens_analysis_seconds", "Seconds to analyze an upload.", ["result"],
            buckets=_SECONDS, registry=self._registry,
        )  # fmt: skip
        self._bytes = Counter(
            "awrlens_upload_bytes", "Bytes of accepted uploads.", registry=self._registry
        )
        self.waiting = Gauge(
            "awrlens_waiting_uploads", "Uploads that are not analyzed yet.", registry=self._registry
        )
        self.calls = Gauge(
            "awrlens_waiting_calls", "Requests that wait for a worker.", registry=self._registry
        )

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count an answer."""
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def analyzed(self, seconds: float, *, failed: bool) -> None:
        """Count an analysis."""
        self._analyses.labels("failed" if failed else "done").observe(seconds)

    def received(self, count: int) -> None:
        """Count an accepted upload."""
        self._bytes.inc(count)

    def text(self) -> bytes:
        """All metrics."""
        return generate_latest(self._registry)

"""Metrics in the text format of Prometheus, and traces for OpenTelemetry.

Labels and spans have sizes, counts and results; never the text of a report, a name, an address or
an id.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from awrlens import __version__
from awrlens.errors import UsageError, install

if TYPE_CHECKING:
    from collections.abc import Iterator


_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


class Metrics:
    """What a server counts and measures."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()

        def made(kind: Any, name: str, about: str, *labels: str) -> Any:  # noqa: ANN401 - no types
            seconds = {"buckets": _SECONDS} if kind is Histogram else {}
            return kind(f"awrlens_{name}", about, labels, registry=self._registry, **seconds)

        answers = "Answers by method, route and status."
        self.requests = made(Counter, "requests", answers, "method", "route", "status")
        about = "Seconds from request to answer."
        self.seconds = made(Histogram, "request_seconds", about, "route")
        about = "Seconds to analyze an upload."
        self.analyses = made(Histogram, "analysis_seconds", about, "result")
        self.bytes = made(Counter, "upload_bytes", "Bytes of accepted uploads.")
        self.waiting = made(Gauge, "waiting_uploads", "Uploads that are not analyzed yet.")
        self.calls = made(Gauge, "waiting_calls", "Requests that wait for a worker.")

    def text(self) -> bytes:
        """All metrics."""
        return generate_latest(self._registry)


Value = str | int | float | bool


#: Adds attributes to a span.
Note = Callable[..., None]


class Tracing:
    """Spans that nobody wants."""

    @contextmanager
    def span(self, name: str, **attributes: Value) -> Iterator[Note]:  # noqa: ARG002
        """A piece of work; what happens within it is below it."""
        yield lambda **_: None

    def close(self) -> None:
        """Send what is left."""


class Spans(Tracing):
    """Spans for a collector of OpenTelemetry."""

    def __init__(self, exporter: Any) -> None:  # noqa: ANN401 - of an extra
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor

        # not Resource.create, which adds what the environment and the host say
        about = Resource({"service.name": "awrlens", "service.version": __version__})
        self._provider = TracerProvider(resource=about, shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer = self._provider.get_tracer("awrlens.serve")

    @contextmanager
    def span(self, name: str, **attributes: Value) -> Iterator[Note]:
        """A piece of work; a failure is noted by its class, because messages may have names."""
        from opentelemetry.trace import StatusCode

        with self._tracer.start_as_current_span(
            name, attributes=_named(attributes), record_exception=False,
            set_status_on_exception=False,
        ) as span:  # fmt: skip
            try:
                yield lambda **more: span.set_attributes(_named(more))
            except Exception as problem:
                span.set_attribute("error.type", type(problem).__name__)
                span.set_status(StatusCode.ERROR)
                raise

    def close(self) -> None:
        """Send what is left."""
        self._provider.shutdown()


def _named(attributes: dict[str, Value]) -> dict[str, Value]:
    return {f"awrlens.{name}": value for name, value in attributes.items()}


def opened(address: str) -> Tracing:
    """Traces for the collector at an address (OTLP over HTTP); none without an address."""
    if not address:
        return Tracing()
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    except ImportError:
        raise UsageError("Traces need OpenTelemetry.", hint=install("web,otel")) from None
    # a collector that does not answer delays no shutdown
    return Spans(OTLPSpanExporter(endpoint=address, timeout=3.0))

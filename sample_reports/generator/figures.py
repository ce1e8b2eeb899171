"""Numbers, sizes and durations as Oracle's reports print them."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

KIB = 1024
MIB = 1024 * KIB


def rounded(value: float, decimals: int) -> Decimal:
    """Round half away from zero, as the database does (Python rounds half to even)."""
    return Decimal(str(value)).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)


def grouped(value: float, decimals: int = 0) -> str:
    """Format with thousands separators: ``2,588,920.9``."""
    return f"{rounded(value, decimals):,f}"


def plain(value: float, decimals: int = 0) -> str:
    """Format without separators: ``2588920.9``."""
    return f"{rounded(value, decimals):f}"


def bare(value: float, decimals: int = 1) -> str:
    """Format without a zero before the point: ``.5``, ``71.3``, ``.0``."""
    text = plain(value, decimals)
    return text[1:] if text.startswith("0.") else text


def scientific(value: float, decimals: int) -> str:
    """Format as ``3.51655E+08``."""
    return f"{value:.{decimals}E}"


def ratio(part: float, whole: float) -> float:
    """Divide, with 0 for an empty whole."""
    return part / whole if whole else 0.0


def percent(part: float, whole: float) -> float:
    """Share in percent, with 0 for an empty whole."""
    return 100.0 * ratio(part, whole)


def awr_count(count: float) -> str:
    """Print counts as AWR does: ``2900``, ``178.9K``, ``1419K``, ``28.4M``."""
    if count < 10_000:
        return plain(count)
    if count < 1_000_000:
        return plain(count / 1_000, 1) + "K"
    if count < 10_000_000:
        return plain(count / 1_000) + "K"
    return plain(count / 1_000_000, 1) + "M"


def statspack_count(count: int) -> str:
    """Return counts of Statspack histograms, cut and not rounded: ``2651``, ``178K``, ``28M``."""
    if count < 10_000:
        return str(count)
    if count < 10_000_000:
        return f"{count // 1_000}K"
    return f"{count // 1_000_000}M"


def data_volume(size_bytes: float) -> str:
    """Volume in multiples of 1024 with at most one decimal: ``0M``, ``811M``, ``2.6G``."""
    mib = size_bytes / MIB
    if mib < KIB:
        return plain(mib) + "M"
    return plain(mib / KIB, 1).removesuffix(".0") + "G"


def awr_rate(size_bytes: float, elapsed_s: float) -> str:
    """MB a second in seven characters, as 11.2 prints it: ``4.53108``, ``.899561``, ``0M``."""
    mib_per_s = size_bytes / MIB / elapsed_s
    if mib_per_s < 5e-7:
        return "0M"
    return bare(mib_per_s, 6)[:7]


def awr19_rate(size_bytes: float, elapsed_s: float) -> str:
    """MB a second with its unit, as 12.2 and later print it: ``2.6M``, ``.015M``, ``0M``."""
    text = bare(size_bytes / MIB / elapsed_s, 3).rstrip("0").rstrip(".")
    return (text or "0") + "M"


def duration(time_us: float) -> str:
    """Average wait with its unit, as 12.2 and later print it: ``93.16us``, ``17.86ms``."""
    if time_us < 1:
        return bare(time_us * 1_000, 2) + "ns"
    if time_us < 1_000:
        return plain(time_us, 2) + "us"
    if time_us < 10_000_000:
        return plain(time_us / 1_000, 2) + "ms"
    return plain(time_us / 1_000_000, 2) + " s"

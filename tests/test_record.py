"""What awrlens reads and says of every report is what the record has: no change passes unseen."""

from __future__ import annotations

import records
from corpus import ANALYZED, Entry, over

RECORDED = records.recorded()


@over(*ANALYZED)
def test_a_change_of_what_is_read_or_said_of_a_report_is_seen(entry: Entry) -> None:
    found = records.of(entry)

    known = RECORDED[entry.file]
    changed = [part for part in sorted({*found, *known}) if found.get(part) != known.get(part)]
    assert not changed, (
        f"{entry.file}: {', '.join(changed)} changed. Compare `awrlens analyze --format json` with "
        "that of the last commit; if the change is right, `tests/records.py` renews the record."
    )


def test_the_record_says_which_part_changed() -> None:
    document = {
        "report": {"source": "a.lst", "db_name": "A"},
        "facts": {"redo.write_ms": {"value": 18.68}, "temp.reads": {"value": 1}},
        "findings": [],
    }
    other = {**document, "facts": {"redo.write_ms": {"value": 18.69}, "temp.reads": {"value": 1}}}
    elsewhere = {**document, "report": {"source": "b/a.lst", "db_name": "A"}}

    first, second = records.digests(document), records.digests(other)
    assert {"facts redo"} == {part for part in first if first[part] != second[part]}
    assert first == records.digests(elsewhere)

"""Churns json, dicts, lists and strings, as scripts do: `churn.py N`.

Meant for PYTHONMALLOC=malloc, so that every object is the allocator's. Deterministic with
PYTHONHASHSEED=0; prints one checksum."""

import json
import sys


def records(n):
    """`n` nested records, their values a fixed pseudo-random sequence."""
    state = 12345
    for i in range(n):
        state = (state * 1103515245 + 12345) & 0x7FFFFFFF
        yield {
            "id": i,
            "name": "user%d" % (state % 9973),
            "tags": ["t%d" % (state >> k & 63) for k in range(6)],
            "score": state / 7.0,
            "nested": {"a": state & 255, "b": [state & 15, state >> 4 & 15], "c": None},
        }


def main():
    n = int(sys.argv[1])
    total = 0
    kept = []
    for _ in range(3):
        text = json.dumps(list(records(n)))
        data = json.loads(text)
        by_name = {}
        for record in data:
            by_name.setdefault(record["name"], []).append(record)
        ranked = sorted(by_name.items(), key=lambda item: (-len(item[1]), item[0]))
        for name, group in ranked:
            total += len(name) * sum(record["nested"]["a"] for record in group)
        words = " ".join(tag for record in data for tag in record["tags"]).split()
        counts = {}
        for word in words:
            counts[word] = counts.get(word, 0) + 1
        total += sum(counts.values())
        # A part outlives its round, so that memory is never all free again.
        kept.append([record for record in data if record["id"] % 16 == 0])
    total += sum(len(part) for part in kept)
    print(total)


main()

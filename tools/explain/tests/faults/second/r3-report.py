# retention: the document is freed, the malloc keeps it; malloc_trim mends it
# env: PYTHONMALLOC=malloc

# A report: parses a big JSON document, aggregates it into a few numbers, drops it, and then waits for the next (PYTHONMALLOC=malloc).
import gc, json, time


def load():
    text = json.dumps([{"id": i, "name": f"customer number {i}", "tags": [f"t{i % 7}", f"u{i}"], "amount": i * 1.5} for i in range(260_000)])
    return json.loads(text)


doc = load()
by_tag = {}
for d in doc: by_tag[d["tags"][0]] = by_tag.get(d["tags"][0], 0) + d["amount"]
summary = {k: "%.2f" % v for k, v in by_tag.items()}; marker = [str(x) for x in range(1000)]
del doc, d; gc.collect()
for i in range(40): s = json.dumps(summary); time.sleep(0.1)
print(s)

"""Makes, keeps, sorts and drops objects of many sizes, in threads too, and prints sums of what it kept."""
import collections
import json
import pickle
import random
import threading
import zlib

rng = random.Random(7)


def words(count):
    return ["".join(rng.choices("abcdefghij", k=rng.randint(1, 60))) for _ in range(count)]


table = collections.defaultdict(list)
for word in words(60_000):
    table[word[:3]].append(word)
for key in sorted(table)[::2]:
    del table[key]
text = json.dumps({key: sorted(value) for key, value in sorted(table.items())})
print("json", len(text), zlib.crc32(text.encode()))

packed = pickle.dumps(json.loads(text))
print("pickle", len(packed), zlib.crc32(packed))

blob = bytearray()
for step in range(300):
    blob.extend(bytes([step % 251]) * (step * 37))
print("bytearray", len(blob), zlib.crc32(blob))

squeezed = zlib.compress(bytes(blob), 6)
print("zlib", zlib.decompress(squeezed) == bytes(blob))

sums = [0] * 4


def work(slot):
    local = random.Random(slot)
    kept = {}
    for step in range(40_000):
        kept[local.randrange(2_000)] = "x" * local.randrange(400)
        if step % 3 == 0:
            kept.pop(local.randrange(2_000), None)
    sums[slot] = sum(len(value) for value in kept.values())


threads = [threading.Thread(target=work, args=(slot,)) for slot in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print("threads", sums)

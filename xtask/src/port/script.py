# What a program of Python's does to a malloc: objects of every size, strings that grow, JSON, lists that are sorted, threads
# whose objects others free, large arrays that are moved, and what ends with the process. Its output is the same every time.
import gc
import hashlib
import json
import queue
import threading

digest = hashlib.sha256()


def say(name, value):
    line = f"{name} {value}"
    digest.update(line.encode())
    print(line)


# Objects: the interpreter asks for each of more than 512 bytes by itself, and with PYTHONMALLOC=malloc for every one.
class Node:
    def __init__(self, number, left, right):
        self.number, self.left, self.right = number, left, right
        self.name = "node " * (number % 200)


def tree(depth, number=1):
    if depth == 0:
        return None
    return Node(number, tree(depth - 1, 2 * number), tree(depth - 1, 2 * number + 1))


def total(node):
    return 0 if node is None else len(node.name) + total(node.left) + total(node.right)


for round in range(3):
    root = tree(10)
    root.cycle = root
    say("tree", total(root))
    del root
    say("collected", gc.collect() > 0)

# Strings, and what realloc sees.
text, blob = "", bytearray()
for number in range(5000):
    text += chr(0x20 + number % 90)
    blob += bytes([number % 251]) * (number % 97)
say("string", hashlib.sha256(text.encode()).hexdigest())
say("bytes", hashlib.sha256(blob).hexdigest())
for power in range(4, 24):
    block = bytearray(b"x") * (1 << power)
    block.extend(b"y" * (1 << power))
    del block[: 1 << (power - 1)]
    say(f"moved {power}", (len(block), block[0], block[-1]))

# JSON there and back.
value = {f"key {number}": [number, number / 7, str(number) * (number % 50), None, {"deep": [True] * (number % 9)}] for number in range(1500)}
written = json.dumps(value, sort_keys=True)
say("json", hashlib.sha256(written.encode()).hexdigest())
say("json again", json.loads(written) == value)

# Threads that make what another drops.
made, sums = queue.Queue(maxsize=50), []


def make(seed):
    for number in range(300):
        made.put([seed * 1000 + number] * (number % 700 + 1))
    made.put(None)


def drop():
    count, ended = 0, 0
    while ended < 3:
        block = made.get()
        ended += block is None
        count += sum(block) if block else 0
    sums.append(count)


threads = [threading.Thread(target=make, args=(seed,)) for seed in range(3)] + [threading.Thread(target=drop)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
say("threads", sums)
for round in range(20):
    thread = threading.Thread(target=lambda: sums.append(len(str(list(range(round * 50))))))
    thread.start()
    thread.join()
say("short threads", sums[1:])

numbers = [(number * 7919) % 100003 for number in range(20000)]
say("sorted", hashlib.sha256(str(sorted(numbers, key=str)).encode()).hexdigest())
say("all", digest.hexdigest())

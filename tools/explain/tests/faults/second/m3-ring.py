# own-mappings: 24 anonymous maps of 8 MiB by the mmap module; heap ~10 MB
# env: PYTHONMALLOC=malloc

# A video pipeline: frames live in anonymous mmap rings (mmap module), 24 of 8 MiB, all written; small metadata in the heap (PYTHONMALLOC=malloc).
import mmap, os, sys, time
rings = []; meta = []
for r in range(24):
    m = mmap.mmap(-1, 8 << 20)
    for f in range(8): m[f << 20:(f + 1) << 20] = bytes([r + f]) * (1 << 20); meta.append({"ring": r, "frame": f})
    rings.append(m); time.sleep(0.05)
s = 0
for k in range(200): s += rings[k % 24][k * 1000]; time.sleep(0.005)
print(len(meta), s)

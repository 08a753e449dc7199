# growing-cache: a symbol table grows over the whole run, all reachable and used; live = resident
# env: PYTHONMALLOC=malloc

# A compiler front end: reads many modules, keeps a symbol table of all of them (needed for linking), looks names up all the time.
import os, random, sys
random.seed(3)
class Symbol:
    __slots__ = ("name", "module", "kind", "refs", "doc")
    def __init__(self, name, module, kind): self.name, self.module, self.kind, self.refs, self.doc = name, module, kind, [], name * 2
table = {}; order = []; resolved = 0
for mod in range(420):
    src = " ".join(f"def f{mod}_{i} uses f{random.randrange(mod + 1)}_{random.randrange(400)} ;" for i in range(400))
    for stmt in src.split(";"):
        w = stmt.split()
        if len(w) < 4: continue
        sym = Symbol(w[1], mod, w[0]); table[w[1]] = sym; order.append(w[1])
        t = table.get(w[3])
        if t is not None: t.refs.append(sym.name); resolved += 1
total = sum(len(table[n].refs) + len(table[n].doc) for n in order)
print(len(table), resolved, total)

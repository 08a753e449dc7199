// huge-pages: A table of 160 MB from aligned_alloc of which 5 MB were touched is resident as a whole, in
// steps of 2 MB: huge pages. Do not advise it.

// A deduplicating store: an open-addressing table of fingerprints in memory from aligned_alloc, for which it asks huge pages ("it is
// faster"). The table is made for 4 million chunks; this customer has 3000.
// FAULT (huge pages): each of the few entries costs 2 MB of resident memory, not 4 KB.
#include <sys/mman.h>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>
#include <vector>

struct Entry { unsigned long fingerprint, offset, length, seen; };

int main() {
    size_t bytes = 160ul << 20, n = bytes / sizeof(Entry);
    Entry* table = (Entry*)aligned_alloc(2 << 20, bytes);
    madvise(table, bytes, MADV_HUGEPAGE);
    std::mt19937_64 g(2);
    std::vector<std::string> names;
    unsigned long found = 0;
    for (int i = 0; i < 3000; i++) {
        std::vector<char> chunk(4000 + g() % 60000, 'c');             // read, hash
        unsigned long f = 1 + g() % 1500 * 0x9E3779B97F4A7C15ul, at = f % n / 4096 * 4096 + f % 16;
        while (table[at].fingerprint && table[at].fingerprint != f) at = (at + 1) % n;
        found += table[at].fingerprint == f;
        table[at] = {f, (unsigned long)i, chunk.size(), 1};
        if (i % 10 == 0) names.push_back("file-number-" + std::to_string(i) + ".data");
        if (i % 2) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    fprintf(stderr, "%lu duplicates\n", found);
    return 0;
}

// growing-cache: an LRU fills to 160 MB (+35 of nodes) by ~5 s and then stays; entries are used and replaced; live =
// resident; not a leak

// An LRU cache in front of a slow store: it fills for ~12 s up to its capacity, then evicts. 20 s.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <list>
#include <unordered_map>
#include <string>
#include <vector>
#include <chrono>
#include <thread>
#include <random>
struct E {
    std::string key;
    std::vector<char> val;
};
class Lru {
    std::list<E> l;
    std::unordered_map<std::string, std::list<E>::iterator> m;
    size_t cap;

  public:
    size_t bytes = 0, hits = 0, miss = 0;
    explicit Lru(size_t c) : cap(c) { m.reserve(200000); }
    const std::vector<char> &get(const std::string &k, std::mt19937 &g) {
        auto it = m.find(k);
        if (it != m.end()) {
            hits++;
            l.splice(l.begin(), l, it->second);
            return it->second->val;
        }
        miss++;
        size_t n = 1024;
        l.push_front(E{k, std::vector<char>(n, (char)g())});
        m[k] = l.begin();
        bytes += n + k.size();
        while (bytes > cap) {
            auto &e = l.back();
            bytes -= e.val.size() + e.key.size();
            m.erase(e.key);
            l.pop_back();
        }
        return l.front().val;
    }
};
int main() {
    std::mt19937 g(7);
    Lru c(160u << 20);
    long sum = 0;
    auto t0 = std::chrono::steady_clock::now();
    std::exponential_distribution<double> d(1.0 / 140000);
    while (std::chrono::steady_clock::now() - t0 < std::chrono::seconds(20)) {
        for (int i = 0; i < 60; i++) sum += c.get("user:profile:record:" + std::to_string((long)d(g)), g)[5];
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    printf("%zu hits %zu misses %ld\n", c.hits, c.miss, sum);
}

// none: 110 MB are resident and 105 in use; it fills to a limit and stays. Nothing to mend.

// An object cache of 100 MB, with a limit that it keeps: least recently used goes first. Objects of 200 bytes to 20 KB.
// NOTHING IS WRONG: it fills, and then it stays.
#include <chrono>
#include <list>
#include <random>
#include <string>
#include <thread>
#include <unordered_map>

int main() {
    std::mt19937 g(12);
    std::list<std::pair<unsigned, std::string>> order;
    std::unordered_map<unsigned, decltype(order)::iterator> index;
    size_t bytes = 0, limit = 100 << 20, hits = 0;
    auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    while (std::chrono::steady_clock::now() < end) {
        for (int i = 0; i < 60; i++) {
            unsigned key = g() % 4 ? g() % 20000 : g() % 400000;
            auto at = index.find(key);
            if (at != index.end()) { hits++; order.splice(order.begin(), order, at->second); continue; }
            size_t n = g() % 10 ? 200 + g() % 3000 : 4000 + g() % 16000;
            order.emplace_front(key, std::string(n, 'o'));
            index[key] = order.begin();
            for (bytes += n; bytes > limit;) {
                bytes -= order.back().second.size();
                index.erase(order.back().first);
                order.pop_back();
            }
        }
        std::this_thread::sleep_for(std::chrono::microseconds(700));
    }
    fprintf(stderr, "%zu objects, %zu hits\n", order.size(), hits);
    return 0;
}

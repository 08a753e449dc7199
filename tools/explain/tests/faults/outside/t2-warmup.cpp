// thread-caches: Free memory is kept in 16 arenas, one a thread, from the warm-up: MALLOC_ARENA_MAX.

// A search node: 16 loader threads each read a shard's postings to small nodes, make a compact table of them (handed to the owner thread,
// which copies it), free the nodes and then serve, that is: hardly allocate. They do so in two waves.
// FAULT (thread arenas): 16 arenas that each hold the free memory of one warm-up.
#include <chrono>
#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

static std::mutex m;
static std::vector<std::vector<unsigned>> shards(16);
static std::unordered_map<std::string, int> limits;
static std::mutex gate;

static void load(int w) {
    std::mt19937 g(w);
    std::vector<unsigned> compact;
    {
        std::unordered_map<std::string, std::list<unsigned>> postings;
        for (int i = 0; i < 60000; i++) postings["term-of-the-index-" + std::to_string(g() % 6000)].push_back(g());
        for (auto& p : postings) for (unsigned d : p.second) compact.push_back(d);
        thread_local std::vector<std::string> scratch;          // stays with the thread: words for the queries to come
        for (int i = 0; i < 40; i++) scratch.push_back("a word of the thread's own number " + std::to_string(i));
    }
    std::lock_guard<std::mutex> l(m);
    shards[w].assign(compact.begin(), compact.end());
}

int main() {
    { std::vector<char> config(9 << 20, 'c'); limits["config"] = config.size(); }
    std::vector<std::thread> t;
    for (int w = 0; w < 16; w++) t.emplace_back([w] {
        std::this_thread::sleep_for(std::chrono::milliseconds(w < 8 ? w * 40 : 900 + w * 40));
        load(w);
        std::mt19937 g(w * 3);
        for (int q = 0; q < 400; q++) {                         // serve
            unsigned hits = 0;
            { std::lock_guard<std::mutex> l(m); for (unsigned d : shards[w]) hits += d % 97 == unsigned(q) % 97; }
            std::string answer = "hits: " + std::to_string(hits) + " of a query that is longer than fifteen bytes";
            std::this_thread::sleep_for(std::chrono::milliseconds(8));
        }
    });
    for (auto& x : t) x.join();
    return 0;
}

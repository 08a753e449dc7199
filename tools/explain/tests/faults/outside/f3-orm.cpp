// fragmentation: One entity in seven stays, scattered among those freed: fragmentation (half of it in holes
// of less than a page); a trim helps for a third.

// An ORM's unit of work: a report loads 220,000 entities with lazy fields; those that were changed (one in seven, anywhere) go to the identity
// map and stay there for the life of the process. Two threads load, a third of the fields is of strings that move by assignment.
// FAULT (fragmentation by lifetimes): the kept ones lie scattered among those that were freed.
#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

struct Entity { long id; std::vector<std::string> columns; std::unique_ptr<long[]> foreign; };
static std::unordered_map<long, std::shared_ptr<Entity>> identity;
static std::mutex m;

static std::shared_ptr<Entity> load(std::mt19937& g, long id) {
    auto e = std::make_shared<Entity>();
    e->id = id;
    e->columns.reserve(8);
    for (int i = 0; i < 8; i++) e->columns.push_back(std::string(8 + g() % 64, 'v'));
    e->foreign.reset(new long[4 + g() % 4]);
    return e;
}

int main() {
    auto report = [](int w, int n, int pause_ms) {
        std::mt19937 g(w * 1000 + n);
        std::vector<std::shared_ptr<Entity>> rows;
        for (int i = 0; i < n; i++) rows.push_back(load(g, (long)w * 10000000 + i));
        std::this_thread::sleep_for(std::chrono::milliseconds(pause_ms));
        std::shuffle(rows.begin(), rows.end(), g);
        std::lock_guard<std::mutex> l(m);
        for (int i = 0; i < n / 7; i++) identity[rows[i]->id] = rows[i];
    };
    std::thread a(report, 1, 110000, 200), b(report, 2, 110000, 400);
    a.join(); b.join();
    // From now on small units of work; they change what is in the map, sometimes.
    std::mt19937 g(5);
    for (int i = 0; i < 1200; i++) {
        std::vector<std::shared_ptr<Entity>> unit;
        for (int k = 0; k < 60; k++) unit.push_back(load(g, k));
        auto at = identity.begin();
        std::advance(at, g() % 50);
        at->second = load(g, at->first);
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    fprintf(stderr, "%zu entities in the map\n", identity.size());
    _Exit(0);
}

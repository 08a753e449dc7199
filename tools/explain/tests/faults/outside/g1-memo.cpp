// growing-cache: A table grows without end and is never emptied; some of its entries are replaced: a cache
// without a limit. Bound it.

// A pricing service with a memo of its answers, keyed by the whole query, in which a "valid until" stands: nearly never hit.
// FAULT (growth): no limit; an answer for a key that is there replaces the old one (one in five), nothing else goes away.
#include <chrono>
#include <map>
#include <mutex>
#include <memory>
#include <random>
#include <shared_mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

struct Answer { double price; std::string currency; std::vector<double> curve; };
static std::unordered_map<std::string, std::unique_ptr<Answer>> memo;
static std::shared_mutex lock;

static std::unique_ptr<Answer> compute(std::mt19937& g) {
    std::vector<std::vector<double>> grid;                     // work that is freed
    for (int i = 0; i < 20; i++) grid.emplace_back(30 + g() % 60, 1.0);
    auto a = std::make_unique<Answer>();
    for (auto& row : grid) a->price += row[g() % row.size()];
    a->currency = "EUR";
    a->curve.assign(8 + g() % 40, a->price);
    return a;
}

int main() {
    std::vector<std::thread> t;
    auto end = std::chrono::steady_clock::now() + std::chrono::seconds(6);
    for (int w = 0; w < 3; w++) t.emplace_back([=] {
        std::mt19937 g(w + 1);
        long now = 1700000000;
        while (std::chrono::steady_clock::now() < end) {
            for (int i = 0; i < 40; i++) {
                long product = g() % 100000, when = g() % 5 ? now + (long)(g() % 1000000) : 1700000000 + product % 3;
                std::string key = "product=" + std::to_string(product) + "&amount=" + std::to_string(g() % 5 ? g() % 1000 : 100) +
                                  "&valid-until=" + std::to_string(when);
                auto a = compute(g);
                std::unique_lock<std::shared_mutex> l(lock);
                if (g() % 5 == 0 && !memo.empty()) memo[memo.begin()->first] = std::move(a);
                else memo[key] = std::move(a);
            }
            now++;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    });
    for (auto& x : t) x.join();
    fprintf(stderr, "%zu answers kept\n", memo.size());
    _Exit(0);
}

// growing-cache: The store grows: four of ten sessions stay, the others are freed after a while; limit or
// expire it.

// A shop's session store: two web threads create sessions and fill baskets; a reaper removes those that logged out.
// FAULT (growth): sessions that are just left (four of ten) are never removed: the idle timeout was set to "0 = never".
#include <chrono>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

struct Item { std::string sku, title; int count; };
struct Session { std::string token, user; std::vector<Item> basket; bool out = false; };
static std::map<unsigned long, Session> store;
static std::mutex m;

int main() {
    auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(7000);
    auto web = [end](unsigned long first) {
        std::mt19937_64 g(first);
        std::vector<unsigned long> mine;
        while (std::chrono::steady_clock::now() < end) {
            for (int i = 0; i < 18; i++) {
                std::lock_guard<std::mutex> l(m);
                unsigned long id = g();
                Session& s = store[id];
                s.token = std::string(48, 't');
                if (g() % 3 == 0) s.user = "customer" + std::to_string(id % 1000000) + "@example.org";
                mine.push_back(id);
                for (int k = 0; k < 4; k++) {
                    auto at = store.find(mine[mine.size() - 1 - g() % std::min<size_t>(mine.size(), 900)]);
                    if (at == store.end()) continue;
                    at->second.basket.push_back({"SKU-" + std::to_string(g() % 100000000), "A thing to buy, in the colour " + std::string(g() % 40, 'c'), 1});
                    if (at->second.basket.size() > 6) at->second.basket.erase(at->second.basket.begin());
                }
                if (mine.size() > 900 && g() % 10 < 6) {
                    auto at = store.find(mine[mine.size() - 900]);
                    if (at != store.end()) at->second.out = true;
                }
                if (mine.size() > 5000) mine.erase(mine.begin(), mine.begin() + 2000);
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
    };
    std::thread a(web, 1), b(web, 2), reaper([end] {
        while (std::chrono::steady_clock::now() < end) {
            std::this_thread::sleep_for(std::chrono::milliseconds(300));
            std::lock_guard<std::mutex> l(m);
            for (auto at = store.begin(); at != store.end();) at = at->second.out ? store.erase(at) : std::next(at);
        }
    });
    a.join(); b.join(); reaper.join();
    fprintf(stderr, "%zu sessions\n", store.size());
    store.clear();                                              // a clean shutdown
    return 0;
}

// growing-cache: an LRU of 400,000 entries that this run does not fill; freed when main ends

#include <list>
#include <string>
#include <unordered_map>
#include <thread>
#include <chrono>
#include <random>
int main() {
    std::mt19937 g(9);
    std::list<std::pair<std::string, std::string>> lru;
    std::unordered_map<std::string, decltype(lru)::iterator> idx;
    for (int i = 0; i < 150000; i++) {
        std::string k = "object/" + std::to_string(g() % 300000);
        auto it = idx.find(k);
        if (it != idx.end()) {
            lru.splice(lru.begin(), lru, it->second);
        } else {
            lru.emplace_front(k, std::string(60 + g() % 200, 'v'));
            idx[k] = lru.begin();
            if (lru.size() > 400000) {
                idx.erase(lru.back().first);
                lru.pop_back();
            }
        }
        std::string answer = "HTTP/1.1 200 OK\r\n" + lru.front().second;
        if (i % 100 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

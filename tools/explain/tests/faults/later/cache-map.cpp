// growing-cache: a memo in a std::map that is never emptied; the program is ended by _Exit

#include <map>
#include <string>
#include <thread>
#include <chrono>
#include <random>
#include <vector>
int main() {
    std::mt19937 g(5);
    std::map<std::string, std::string> memo;
    unsigned long h = 0;
    for (int i = 0; i < 120000; i++) {
        unsigned q = std::min(g() % 60000, g() % 60000);
        std::string key = "/search?q=" + std::to_string(q) + "&page=1&lang=en";
        auto it = memo.find(key);
        if (it == memo.end()) {
            std::vector<std::string> rows;
            for (int k = 0; k < 6; k++) rows.push_back("row " + std::to_string(g()) + " of the answer");
            std::string a;
            for (auto &r : rows) a += r;
            memo[key] = a;
        } else h++;
        if (i % 100 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    _Exit(h > 0 ? 0 : 1);
}

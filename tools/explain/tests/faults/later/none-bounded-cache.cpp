// none: a cache of 15,000 objects that is full after a third and then replaces

#include <unordered_map>
#include <list>
#include <string>
#include <random>
#include <thread>
#include <chrono>
int main() {
    std::mt19937 g(4);
    std::list<std::pair<int, std::string>> l;
    std::unordered_map<int, decltype(l)::iterator> m;
    for (int i = 0; i < 90000; i++) {
        int k = g() % 60000;
        auto it = m.find(k);
        if (it != m.end()) l.splice(l.begin(), l, it->second);
        else {
            l.emplace_front(k, std::string(100 + g() % 900, 'o'));
            m[k] = l.begin();
            if (l.size() > 15000) {
                m.erase(l.back().first);
                l.pop_back();
            }
        }
        std::string a(300, 'a');
        if (i % 60 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return 0;
}

// leak: a store that is closed properly at the end (map, strings), but iterators of queries were never released: half
// of all blocks

#include <map>
#include <string>
#include <thread>
#include <chrono>
struct Iter {
    char state[120];
    Iter *parent;
};
int main() {
    std::map<int, std::string> m;
    for (int i = 0; i < 20000; i++) m[i] = std::string(50 + i % 100, 'v');
    for (int i = 0; i < 30000; i++) {
        auto *it = new Iter;
        it->state[0] = 1;
        std::string row(m[i % 20000] + " and more text of it");
        if (i % 60 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(3));
        (void)it;
    }
    return 0;
}

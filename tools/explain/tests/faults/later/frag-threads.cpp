// fragmentation: four threads; each batch of small orders goes, one order in 30 is disputed and stays

#include <vector>
#include <thread>
#include <cstring>
#include <chrono>
#include <random>
static void w(int id) {
    std::mt19937 g(id);
    std::vector<char *> keep;
    for (int r = 0; r < 2; r++) {
        std::vector<char *> o;
        for (int i = 0; i < 60000; i++) {
            size_t n = 64 + g() % 180;
            char *p = (char *)malloc(n);
            memset(p, 1, n);
            if (g() % 30 == 0) keep.push_back(p);
            else o.push_back(p);
        }
        for (char *p : o) free(p);
        for (int k = 0; k < 150; k++) {
            std::vector<char> t(3000 + g() % 4000);
            t[0] = 1;
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    }
    for (char *p : keep) free(p);
}
int main() {
    std::vector<std::thread> t;
    for (int i = 0; i < 4; i++) t.emplace_back(w, i);
    for (auto &x : t) x.join();
}

// fragmentation: an interpreter: objects of 32 sizes live by generations; every 40th survives; then it idles with
// small work

#include <vector>
#include <thread>
#include <chrono>
#include <cstdlib>
#include <random>
int main() {
    std::mt19937 g(8);
    std::vector<void *> old;
    for (int gen = 0; gen < 8; gen++) {
        std::vector<void *> y;
        for (int i = 0; i < 40000; i++) {
            size_t n = 16 + 16 * (g() % 32);
            void *p = malloc(n);
            *(char *)p = 1;
            y.push_back(p);
        }
        for (auto p : y)
            if (g() % 40) free(p);
            else old.push_back(p);
        std::this_thread::sleep_for(std::chrono::milliseconds(60));
        if (gen == 3)
            for (size_t i = 0; i < old.size() / 2; i++) {}
    }
    for (int i = 0; i < 400; i++) {
        void *p = malloc(300 + i);
        *(char *)p = 1;
        std::this_thread::sleep_for(std::chrono::milliseconds(4));
        free(p);
    }
    return 0;
}

// leak: eight workers; a job that times out loses its context (a string, a vector and a node)

#include <string>
#include <thread>
#include <vector>
#include <random>
#include <chrono>
struct Ctx {
    std::string url;
    std::vector<int> parts;
    Ctx *peer;
};
static void work(int id) {
    std::mt19937 g(id);
    for (int i = 0; i < 6000; i++) {
        auto *c = new Ctx{std::string(30 + g() % 200, 'u'), std::vector<int>(10 + g() % 50), nullptr};
        std::vector<std::string> tmp;
        for (int k = 0; k < 15; k++) tmp.push_back(std::string(20 + g() % 120, 't'));
        if (g() % 12) delete c;
        if (i % 10 == 0) std::this_thread::sleep_for(std::chrono::microseconds(2500));
    }
}
int main() {
    std::vector<std::thread> t;
    for (int i = 0; i < 8; i++) t.emplace_back(work, i);
    for (auto &x : t) x.join();
}

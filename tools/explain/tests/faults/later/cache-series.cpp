// growing-cache: a metric store: series are vectors that double, nothing is dropped

#include <vector>
#include <string>
#include <thread>
#include <chrono>
#include <random>
int main() {
    std::mt19937 g(3);
    std::vector<std::vector<double>> s(800);
    for (int i = 0; i < 1500000; i++) {
        s[g() % 800].push_back(i);
        if (i % 20 == 0) { std::string name = "metric." + std::to_string(i % 800) + ".value.of.something"; }
        if (i % 2000 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(3));
    }
    _Exit(0);
}

// growing-cache: a metric store: 3,000 series of very different rates are vectors that double, nothing is dropped

#include <vector>
#include <string>
#include <thread>
#include <chrono>
#include <random>
#include <cmath>
int main() {
    std::mt19937 g(3);
    std::vector<std::vector<double>> s(3000);
    for (int i = 0; i < 2000000; i++) {
        unsigned k = (unsigned)(3000 * std::pow((g() % 100000) / 1e5, 3));
        s[k].push_back(i);
        if (i % 20 == 0) { std::string name = "metric." + std::to_string(k) + ".value.of.something"; }
        if (i % 2000 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    _Exit(0);
}

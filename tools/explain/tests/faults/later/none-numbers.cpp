// none: reads samples into a vector that doubles (until half of the run), then filters them over and over

#include <vector>
#include <string>
#include <thread>
#include <chrono>
int main() {
    std::vector<double> v;
    for (int i = 0; i < 4000000; i++) {
        v.push_back(i * 0.5);
        if (i % 100 == 0) { std::string line = "sample " + std::to_string(i) + " of a long recording"; }
        if (i % 8000 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    double t = 0;
    for (int r = 0; r < 400; r++) {
        std::vector<double> w(20000);
        for (int i = 0; i < 20000; i++) w[i] = v[r * 9000 + i] * 2;
        t += w[5];
        std::string msg = "round " + std::to_string(r) + " of the filter has ended";
        std::this_thread::sleep_for(std::chrono::milliseconds(3));
    }
    return t == 0;
}

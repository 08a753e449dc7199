// none: a steady server: sessions come and go, a bounded queue, buffers; loads 30 MB of configuration first

#include <map>
#include <string>
#include <vector>
#include <thread>
#include <chrono>
#include <random>
int main() {
    std::mt19937 g(2);
    std::map<int, std::string> conf;
    for (int i = 0; i < 150000; i++) conf[i] = std::string(60 + g() % 150, 'c');
    std::vector<std::string> sess(3000);
    for (int i = 0; i < 120000; i++) {
        sess[g() % 3000] = std::string(100 + g() % 700, 's');
        std::string req(200 + g() % 800, 'r');
        std::string ans = req + conf[g() % 150000];
        if (i % 100 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    _Exit(0);
}

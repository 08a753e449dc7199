// retention: loads and compiles its rules at the start (90 MB of small blocks), keeps little, and serves

#include <vector>
#include <string>
#include <thread>
#include <chrono>
#include <memory>
struct R {
    std::string a, b;
    std::unique_ptr<R> n;
};
int main() {
    std::vector<std::string> compiled;
    {
        std::vector<std::unique_ptr<R>> rules;
        for (int i = 0; i < 300000; i++) {
            auto r = std::make_unique<R>();
            r->a = std::string(30 + i % 100, 'a');
            r->b = std::string(20 + i % 60, 'b');
            rules.push_back(std::move(r));
            if (i % 20000 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    }
    for (int i = 0; i < 300; i++) compiled.push_back(std::string(1000, 'c'));
    for (int i = 0; i < 2500; i++) {
        std::string q(100 + i % 900, 'q');
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return 0;
}

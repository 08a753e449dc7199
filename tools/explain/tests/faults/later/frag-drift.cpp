// fragmentation: a chat: messages of growing size replace each other for a while, then the history is thinned to
// every 25th

#include <string>
#include <vector>
#include <thread>
#include <chrono>
int main() {
    std::vector<std::string *> h;
    for (int i = 0; i < 250000; i++) {
        h.push_back(new std::string(40 + i % 260, 'm'));
        if (i % 5000 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    for (size_t i = 0; i < h.size(); i++)
        if (i % 25) {
            delete h[i];
            h[i] = nullptr;
        }
    for (int k = 0; k < 800; k++) {
        std::string reply(2000 + k, 'r');
        std::string *q = new std::string(100, 'q');
        delete q;
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    _Exit(0);
}

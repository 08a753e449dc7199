// none: steady state, live = resident

// A server in its steady state: 60,000 sessions made at the start by four threads, each session replaced by one of the
// same kind now and then; 20 s.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <thread>
#include <vector>
#include <string>
#include <memory>
#include <random>
#include <chrono>
struct Session {
    std::string user;
    std::vector<char> state;
    long hits = 0;
};
int main() {
    std::vector<std::thread> ts;
    size_t live[4] = {};
    auto t0 = std::chrono::steady_clock::now();
    for (int t = 0; t < 4; t++)
        ts.emplace_back([&, t] {
            std::mt19937 g(t);
            std::vector<std::unique_ptr<Session>> s(15000);
            auto mk = [&] {
                auto p = std::make_unique<Session>();
                p->user = "a-user-with-a-long-name-" + std::to_string(g());
                p->state.assign(1100, (char)g());
                return p;
            };
            for (auto &x : s) x = mk();
            long h = 0;
            while (std::chrono::steady_clock::now() - t0 < std::chrono::seconds(20)) {
                for (int i = 0; i < 20; i++) {
                    auto &x = s[g() % s.size()];
                    h += ++x->hits + x->state[9];
                    if (g() % 8 == 0) {
                        x.reset();
                        x = mk();
                    }
                }
                std::this_thread::sleep_for(std::chrono::milliseconds(2));
            }
            for (auto &x : s) live[t] += sizeof(Session) + x->user.capacity() + x->state.capacity();
            if (h == 1) puts("!");
        });
    for (auto &t : ts) t.join();
    puts("ok");
}

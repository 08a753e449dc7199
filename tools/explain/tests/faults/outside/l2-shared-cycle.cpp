// leak: Live memory grows all the time by blocks of a session's sizes (some hundred bytes to 2 KiB), a third
// of which are never freed while those of the same size that were made with them are: a leak, per connection.

// A chat gateway: connections come and go; each has a session, an outgoing queue and a timer.
// FAULT (leak): the timer's callback holds the session by shared_ptr, and the session holds the timer: a cycle.
// Sessions that end by a logout cancel the timer; those whose connection just breaks (a third) do not.
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

struct Timer { std::function<void()> fire; };
struct Session {
    std::string user, address;
    std::deque<std::string> out;
    std::vector<char> inbuf;
    std::shared_ptr<Timer> timer;
};

int main() {
    std::mt19937 g(7);
    std::vector<std::shared_ptr<Session>> open;
    long broken = 0, total = 0;
    // The service's own data: a roster that is loaded once and stays.
    std::vector<std::string> roster;
    for (int i = 0; i < 150000; i++) roster.push_back("user-" + std::to_string(i) + "@" + std::string(20 + g() % 60, 'd'));
    auto start = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - start < std::chrono::milliseconds(5000)) {
        for (int i = 0; i < 12; i++) {                       // new ones
            auto s = std::make_shared<Session>();
            s->user = roster[g() % roster.size()];
            s->address = "10.0." + std::to_string(g() % 255) + ".17:" + std::to_string(g() % 60000);
            s->inbuf.resize(512 << (g() % 3));
            s->timer = std::make_shared<Timer>();
            s->timer->fire = [s] { s->out.push_back("ping"); };
            open.push_back(std::move(s));
            total++;
        }
        for (int i = 0; i < 200 && !open.empty(); i++) {      // traffic
            auto& s = open[g() % open.size()];
            s->out.push_back("message " + std::string(g() % 300, 'm'));
            if (s->out.size() > 8) s->out.pop_front();
        }
        while (open.size() > 4000) {                          // ends
            size_t at = g() % open.size();
            std::swap(open[at], open.back());
            if (g() % 3) { open.back()->timer->fire = nullptr; open.back()->timer.reset(); }   // logout
            else broken++;                                    // FAULT
            open.pop_back();
        }
        std::this_thread::sleep_for(std::chrono::microseconds(500));
    }
    fprintf(stderr, "%ld connections, %ld broken\n", total, broken);
    _Exit(0);
}

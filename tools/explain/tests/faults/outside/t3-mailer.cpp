// thread-caches: Free memory is kept in the arenas of 24 connection threads; blocks are freed by one other
// thread: MALLOC_ARENA_MAX.

// A mail relay: 24 connection threads receive mails (they allocate), one delivery thread sends them (it frees them all).
// Mails come in bursts that go to one connection after another.
// FAULT (thread arenas): the memory of a burst goes back to the arena of the connection that received it, and the next burst cannot use it.
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

struct Mail { std::string from, to; std::vector<std::string> lines; };
static std::deque<std::unique_ptr<Mail>> queue;
static std::mutex m;
static std::condition_variable some, none;
static bool over;

static void receive(int w, int mails) {
    std::mt19937 g(w);
    for (int i = 0; i < mails; i++) {
        auto mail = std::make_unique<Mail>();
        mail->from = "someone-" + std::to_string(g() % 1000) + "@there.example.org";
        mail->to = "somebody-" + std::to_string(g() % 1000) + "@here.example.org";
        int n = 10 + g() % 60;
        for (int k = 0; k < n; k++) mail->lines.push_back(std::string(20 + g() % 60, 'l'));
        std::lock_guard<std::mutex> l(m);
        queue.push_back(std::move(mail));
    }
    some.notify_one();
}

int main() {
    { auto key = std::make_unique<char[]>(24 << 20); for (int i = 0; i < 24 << 20; i += 4096) key[i] = 1; }   // a blocklist, checked once
    std::mutex turn;
    std::vector<std::thread> t;
    for (int w = 0; w < 24; w++) t.emplace_back([&turn, w] {
        for (int burst = 0; burst < 2; burst++) {
            std::this_thread::sleep_for(std::chrono::milliseconds(100 + (w * 7 % 24) * 60));
            std::lock_guard<std::mutex> one(turn);
            receive(w, 1300);
            std::unique_lock<std::mutex> l(m);
            none.wait(l, [] { return queue.empty(); });
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1500));       // connected, idle
    });
    std::thread delivery([] {
        for (;;) {
            std::deque<std::unique_ptr<Mail>> batch;
            {
                std::unique_lock<std::mutex> l(m);
                some.wait(l, [] { return over || !queue.empty(); });
                if (queue.empty()) return;
                std::this_thread::sleep_for(std::chrono::milliseconds(0));
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(20));     // the other side is slow
            { std::lock_guard<std::mutex> l(m); batch.swap(queue); }
            batch.clear();
            none.notify_all();
        }
    });
    for (auto& x : t) x.join();
    { std::lock_guard<std::mutex> l(m); over = true; }
    some.notify_all();
    delivery.join();
    return 0;
}

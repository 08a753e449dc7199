// A service with a leak: of each request's journal nobody says when it ends. Answers come and go, and a second thread sends them.
#include <condition_variable>
#include <cstdio>
#include <memory>
#include <mutex>
#include <queue>
#include <string>
#include <thread>

namespace journal {
struct Entry {
    int request;
    char text[196];
};
static Entry *volatile last;

__attribute__((noinline)) void note(int request) {
    last = new Entry{request, "noted"};
    if (request % 3 == 0) delete last; // Only each third one ever goes.
}
} // namespace journal

namespace sender {
static std::mutex lock;
static std::condition_variable more;
static std::queue<std::unique_ptr<std::string>> waiting;
static bool ends = false;

static void send() {
    for (;;) {
        std::unique_lock<std::mutex> held(lock);
        more.wait(held, [] { return ends || !waiting.empty(); });
        if (waiting.empty()) return;
        auto answer = std::move(waiting.front());
        waiting.pop();
        more.notify_all();
    }
}
} // namespace sender

__attribute__((noinline)) static size_t parse(int request) {
    std::string header(40 + request % 30, 'h');
    header += ": a value that is longer than the first one was";
    return header.size();
}

__attribute__((noinline)) static void answer(int request) {
    auto text = std::make_unique<std::string>(300, 'a');
    *text += std::to_string(request);
    std::unique_lock<std::mutex> held(sender::lock);
    sender::more.wait(held, [] { return sender::waiting.size() < 64; });
    sender::waiting.push(std::move(text));
    sender::more.notify_all();
}

int main(int argc, char **) {
    std::thread thread(sender::send);
    size_t bytes = 0;
    for (int request = 0; request < 30000 * argc; request++) {
        for (int line = 0; line < 4; line++) bytes += parse(request + line);
        journal::note(request);
        answer(request);
    }
    {
        std::lock_guard<std::mutex> held(sender::lock);
        sender::ends = true;
        sender::more.notify_all();
    }
    thread.join();
    std::printf("%zu bytes\n", bytes);
    return 0;
}

// thread-caches: twenty pool threads each render one page (3 MB of small pieces) at some time and then wait for work

#include <thread>
#include <vector>
#include <string>
#include <mutex>
#include <condition_variable>
#include <chrono>
static std::mutex m;
static std::condition_variable cv;
static bool stop = false;
static void w(int id) {
    std::this_thread::sleep_for(std::chrono::milliseconds(60 * id));
    {
        std::vector<std::string> p;
        for (int i = 0; i < 25000; i++) p.push_back(std::string(40 + (i * id) % 150, 'p'));
    }
    std::unique_lock<std::mutex> l(m);
    while (!stop) cv.wait(l);
}
int main() {
    std::vector<std::thread> t;
    for (int i = 0; i < 20; i++) t.emplace_back(w, i);
    for (int i = 0; i < 1500; i++) {
        std::string s(100 + i % 200, 'x');
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    {
        std::lock_guard<std::mutex> l(m);
        stop = true;
    }
    cv.notify_all();
    for (auto &x : t) x.join();
}

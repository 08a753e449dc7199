// thread-caches: 80 threads each keep the 3 MB of a burst in their own heap; at most 3 MB live
// on: mimalloc2

// A server with a pool of 80 threads; each handles one burst of requests (3 MiB of small buffers), frees all of it, and
// then waits for work. mimalloc is preloaded.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <thread>
#include <vector>
#include <mutex>
#include <condition_variable>
#include <random>
#include <atomic>
int main() {
    std::mutex m;
    std::condition_variable cv;
    bool stop = false;
    std::vector<std::thread> pool;
    std::mutex turn;
    std::atomic<int> ready{0};
    std::atomic<size_t> peak{0};
    for (int i = 0; i < 80; i++)
        pool.emplace_back([&, i] {
            {
                std::lock_guard<std::mutex> l(turn); // one burst at a time
                std::mt19937 g(i);
                std::vector<char *> v;
                v.reserve(20000);
                size_t b = 0;
                while (b < (3u << 20)) {
                    size_t n = 16 + g() % 900;
                    char *p = (char *)malloc(n);
                    memset(p, i, n);
                    v.push_back(p);
                    b += n;
                }
                for (char *p : v) free(p);
                if (b > peak) peak = b;
            }
            ready++;
            std::unique_lock<std::mutex> l(m);
            cv.wait(l, [&] { return stop; });
        });
    while (ready < 80) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::this_thread::sleep_for(std::chrono::seconds(2));
    {
        std::lock_guard<std::mutex> l(m);
        stop = true;
    }
    cv.notify_all();
    for (auto &t : pool) t.join();
    printf("%zu\n", peak.load());
}

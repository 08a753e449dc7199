// thread-caches: the tcaches of 24 threads keep ~13 MB each; at most 13 MB live
// env: GLIBC_TUNABLES=glibc.malloc.tcache_count=4000

// A simulation, 24 threads, with GLIBC_TUNABLES=glibc.malloc.tcache_count=4000 ("makes it faster"): each thread builds
// a cell list of blocks of many small sizes, drops it, and goes on to pure arithmetic. The blocks stay in the threads'
// tcaches. Threads build one after another (the input is read in turns).
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <thread>
#include <vector>
#include <mutex>
#include <cmath>
#include <atomic>
int main() {
    std::vector<std::thread> ts;
    std::mutex input;
    std::atomic<int> idle{0};
    std::atomic<bool> stop{false};
    std::atomic<size_t> most{0};
    for (int i = 0; i < 24; i++)
        ts.emplace_back([&, i] {
            {
                std::lock_guard<std::mutex> l(input);
                std::vector<void *> cells;
                cells.reserve(64 * 400);
                size_t b = 0;
                for (int k = 0; k < 400; k++)
                    for (size_t n = 24; n <= 1024; n += 16) {
                        void *p = malloc(n);
                        memset(p, 3, n);
                        cells.push_back(p);
                        b += n;
                    }
                double x = 0;
                for (void *p : cells) x += std::sqrt(((unsigned char *)p)[20]);
                for (void *p : cells) free(p);
                if (b > most) most = b;
                if (x < 0) puts("!");
            }
            idle++;
            double y = i;
            while (!stop) {
                for (int k = 0; k < 1000; k++) y = std::cos(y);
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
            }
            if (y == 7) puts("!");
        });
    while (idle < 24) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::this_thread::sleep_for(std::chrono::seconds(3));
    stop = true;
    for (auto &t : ts) t.join();
    printf("%zu bytes at most live in one\n", most.load());
}

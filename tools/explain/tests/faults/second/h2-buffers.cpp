// huge-pages: heap: 700 buffers of 512 KiB of which 8 KiB each are touched; THP makes ~350 MB resident, without THP 7
// MB
// env: GLIBC_TUNABLES=glibc.malloc.hugetlb=1

// A server with 700 connections, each with a receive buffer of 512 KiB, of which a request fills the first 6 KiB. Run
// with GLIBC_TUNABLES=glibc.malloc.hugetlb=1 (THP by madvise in glibc).
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <vector>
#include <thread>
#include <chrono>
#include <random>
struct Conn {
    int fd;
    char *rx;
    size_t used;
};
int main() {
    std::vector<Conn> c;
    std::mt19937 g(1);
    size_t touched = 0;
    {
        char *cfg = (char *)malloc(24 << 20);
        memset(cfg, 'c', 24 << 20);
        free(cfg);
    } // the configuration is read and dropped: from now on glibc takes blocks up to 24 MiB from the heap
    for (int i = 0; i < 700; i++) {
        Conn x{i, (char *)malloc(512 << 10), 0};
        c.push_back(x);
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        x.used = 2000 + g() % 4000;
        memset(x.rx, 'r', x.used);
        touched += 8192;
    }
    long s = 0;
    for (int r = 0; r < 800; r++) {
        for (int k = 0; k < 50; k++) {
            Conn &x = c[g() % c.size()];
            size_t n = 1000 + g() % 5000;
            memset(x.rx, r, n);
            char *resp = (char *)malloc(3000);
            memcpy(resp, x.rx, 3000);
            s += resp[7];
            free(resp);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    for (auto &x : c) free(x.rx);
    printf("%ld\n", s);
}

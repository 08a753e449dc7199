// own-mappings: a file of 300 MiB mapped shared; the heap is 2 MB

// A key-value store on a file of 300 MiB, mapped MAP_SHARED and written and read everywhere; an index of small nodes in
// the heap (2 MiB).
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <sys/mman.h>
#include <fcntl.h>
#include <map>
#include <thread>
#include <chrono>
int main() {
    char path[] = "/tmp/w/outsider2/kv-XXXXXX";
    int fd = mkstemp(path);
    unlink(path);
    size_t n = 300u << 20;
    if (ftruncate(fd, n)) return 1;
    char *d = (char *)mmap(0, n, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    std::map<unsigned, size_t> index;
    unsigned s = 1;
    long sum = 0;
    for (size_t o = 0, i = 0; o + 16384 <= n; o += 16384, i++) {
        s = s * 1664525 + 1013904223;
        memset(d + o, s, 16000);
        index[s] = o;
        if (i % 64 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(8));
    }
    for (int r = 0; r < 3; r++)
        for (auto &e : index) sum += d[e.second + 99];
    printf("%zu %ld\n", index.size(), sum);
}

// own-mappings: Of 133 MB, 125 are files that the program mapped; not malloc's.

// A log search: segments are files that it maps and reads through; the hits are small strings. What the kernel has of the files
// counts as resident, and the mappings stay open.
// FAULT (own mappings): nothing of it is malloc's.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <chrono>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

int main() {
    std::mt19937 g(6);
    std::vector<std::pair<const char*, size_t>> segments;
    std::string dir = "/tmp/segments-" + std::to_string(getpid());
    for (int i = 0; i < 12; i++) {
        size_t n = (6 + g() % 10) << 20;
        std::string name = dir + "-" + std::to_string(i);
        int fd = open(name.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
        std::string line = "2026-11-27 12:00:00 INFO request done in 12 ms by worker 7 for somebody\n", block;
        for (int k = 0; k < 2000; k++) block += line;
        for (size_t at = 0; at < n; at += block.size()) if (write(fd, block.data(), block.size()) < 0) return 1;
        const char* p = (const char*)mmap(nullptr, n, PROT_READ, MAP_SHARED, fd, 0);
        close(fd);
        unlink(name.c_str());
        segments.push_back({p, n});
        size_t lines = 0;
        std::vector<std::string> hits;
        for (size_t at = 0; at < n; at++) if (p[at] == '\n' && ++lines % 500 == 0) hits.emplace_back(p + at - 40, 40);
        std::this_thread::sleep_for(std::chrono::milliseconds(60));
    }
    for (int q = 0; q < 300; q++) {
        auto& s = segments[g() % segments.size()];
        std::vector<std::string> hits;
        for (int k = 0; k < 100; k++) hits.emplace_back(s.first + g() % (s.second - 100), 60);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return 0;
}

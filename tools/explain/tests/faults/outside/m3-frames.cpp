// own-mappings: Of 185 MB nearly all are mappings of the program's own (anonymous, 16 MB each); not malloc's.

// A video bridge: frames come out of a pool that it maps itself (anonymous, 8 MB a frame), because "malloc is slow". The pool grows with the
// number of streams and keeps what it has; packets and their descriptions are malloc's, and small.
// FAULT (own mappings): the frame pool.
#include <sys/mman.h>
#include <chrono>
#include <cstring>
#include <deque>
#include <random>
#include <string>
#include <thread>
#include <vector>

static std::vector<char*> pool;
static const size_t FRAME = 3840ul * 1080 * 2;
static char* take() {
    if (!pool.empty()) { char* p = pool.back(); pool.pop_back(); return p; }
    return (char*)mmap(nullptr, FRAME, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

int main() {
    std::mt19937 g(9);
    std::deque<char*> delay;                                   // lips and lag: frames wait
    std::deque<std::string> packets;
    for (int f = 0; f < 180; f++) {
        size_t streams = f < 40 ? 4 : f < 110 ? 22 : 6;
        char* p = take();
        memset(p, f, FRAME);
        delay.push_back(p);
        for (int k = 0; k < 300; k++) {
            packets.push_back(std::string(100 + g() % 1300, 'p'));
            if (packets.size() > 900) packets.pop_front();
        }
        while (delay.size() > streams) { pool.push_back(delay.front()); delay.pop_front(); }
        std::this_thread::sleep_for(std::chrono::milliseconds(12));
    }
    return 0;
}

// fragmentation: error records (1 in 7) outlive their rotation and pin what the others leave free

// A log with rotation: records are buffered, each rotation writes all out and drops them, except the errors (1 in 7,
// scattered), which stay for the post-mortem of the last twenty rotations. An incident makes rotations 4 to 6 large;
// after it they are small again. 20 s.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <vector>
#include <deque>
#include <memory>
#include <thread>
#include <chrono>
#include <random>
struct Record {
    int level;
    size_t n;
    std::unique_ptr<char[]> text;
};
int main() {
    std::mt19937 g(5);
    std::deque<std::vector<Record>> errors;
    size_t live = 0;
    const int volume[] = {40, 50, 60, 200, 700, 800, 300, 40, 30, 30, 30, 30, 30, 30, 30, 30}; // thousands of records
    for (int v : volume) {
        std::vector<Record> buf;
        buf.reserve(800000);
        for (int i = 0; i < v * 1000; i++) {
            size_t n = 150 + g() % 300;
            Record r{g() % 7 == 0 ? 3 : 1, n, std::unique_ptr<char[]>(new char[n])};
            memset(r.text.get(), 'l', n);
            buf.push_back(std::move(r));
            if (i % (v * 40) == 0) std::this_thread::sleep_for(std::chrono::milliseconds(40));
        }
        std::vector<Record> keep;
        for (auto &r : buf)
            if (r.level == 3) {
                live += r.n;
                keep.push_back(std::move(r));
            }
        errors.push_back(std::move(keep));
        if (errors.size() > 20) {
            for (auto &r : errors.front()) live -= r.n;
            errors.pop_front();
        }
        buf = std::vector<Record>();
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    printf("%zu\n", errors.size());
}

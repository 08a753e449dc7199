// retention: 185 MB are kept after the peak of the start-up, all free: malloc does not give back;
// malloc_trim(0), or do not raise M_TRIM_THRESHOLD.

// A tile renderer, tuned "for speed": mallopt(M_TRIM_THRESHOLD) and M_MMAP_THRESHOLD are raised, so that nothing goes back.
// At start-up it renders the whole map once (layers of 1 to 6 MB, features in small blocks), then tiles now and then.
// FAULT (retention): the peak of the start-up is kept for ever.
#include <malloc.h>
#include <chrono>
#include <cstring>
#include <memory>
#include <random>
#include <thread>
#include <vector>

struct Feature { std::vector<float> line; int style; };

static unsigned tile(std::mt19937& g, int layers, int features, int kb) {
    std::vector<std::unique_ptr<unsigned char[]>> layer;
    std::vector<Feature> f(features);
    for (auto& x : f) { x.line.assign(4 + g() % 60, 0.5f); x.style = g() % 9; }
    unsigned sum = 0;
    for (int i = 0; i < layers; i++) {
        size_t n = (size_t)kb * 1024 * (1 + g() % 6);
        layer.emplace_back(new unsigned char[n]);
        memset(layer.back().get(), i, n);
        for (auto& x : f) layer.back()[x.style * 100]++;
        sum += layer.back()[g() % n];
    }
    return sum;
}

int main() {
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, 2000 << 20);
    std::mt19937 g(11);
    unsigned sum = tile(g, 50, 150000, 1024);
    for (int i = 0; i < 350; i++) {
        sum += tile(g, 3, 300, 64);
        std::this_thread::sleep_for(std::chrono::milliseconds(8));
    }
    fprintf(stderr, "%u\n", sum);
    return 0;
}

// huge-pages: matrices of 24 MB from aligned new, advised for huge pages; each is filled sparsely (a line in 50)

#include <new>
#include <vector>
#include <sys/mman.h>
#include <thread>
#include <chrono>
#include <string>
int main() {
    std::vector<char *> ms;
    for (int i = 0; i < 6; i++) {
        size_t n = 24u << 20;
        char *m = (char *)::operator new(n, std::align_val_t(2 << 20));
        madvise(m, n, MADV_HUGEPAGE);
        ms.push_back(m);
        for (size_t a = 0; a < n; a += 200000) {
            m[a] = 1;
            if (a % 1000000 == 0) {
                std::string s = "cell " + std::to_string(a) + " of the matrix is set now";
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return 0;
}

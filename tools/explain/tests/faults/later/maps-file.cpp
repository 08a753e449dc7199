// own-mappings: an index file of 80 MB that it maps and reads through

#include <sys/mman.h>
#include <fcntl.h>
#include <unistd.h>
#include <string>
#include <cstdlib>
#include <cstring>
int main() {
    char name[] = "/tmp/w/xm/idxXXXXXX";
    int f = mkstemp(name);
    std::string blk(1 << 20, 'i');
    for (int i = 0; i < 80; i++)
        if (write(f, blk.data(), blk.size()) < 0) return 1;
    size_t n = 80u << 20;
    char *m = (char *)mmap(0, n, PROT_READ, MAP_SHARED, f, 0);
    unlink(name);
    unsigned long sum = 0;
    for (size_t a = 0; a < n; a += 4096) {
        sum += m[a];
        if (a % (64 << 10) == 0) {
            std::string q = "term " + std::to_string(a) + " was asked for by somebody";
            sum += q.size();
        }
        if (a % (1 << 20) == 0) usleep(20000);
    }
    return sum == 0;
}

// own-mappings: a language runtime: chunks of 1 MiB by mmap, objects in them, some of malloc beside

#include <sys/mman.h>
#include <string>
#include <vector>
#include <unistd.h>
#include <cstring>
int main() {
    for (int i = 0; i < 90; i++) {
        char *c = (char *)mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        for (int a = 0; a < 1 << 20; a += 64) c[a] = 1;
        std::vector<std::string> t;
        for (int k = 0; k < 100; k++) t.push_back(std::string(30 + k, 't'));
        usleep(15000);
    }
    return 0;
}

// Says whether malloc has asked for huge pages. The first call of malloc is that of C++'s library, as it begins.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

int main() {
    std::string line(256, ' ');
    auto block = reinterpret_cast<unsigned long>(malloc(64 << 20));
    bool is_block = false, is_huge = false;
    FILE *maps = fopen("/proc/self/smaps", "r");
    while (maps && fgets(&line[0], line.size(), maps)) {
        unsigned long from, to;
        if (sscanf(line.c_str(), "%lx-%lx ", &from, &to) == 2) is_block = from <= block && block < to;
        if (is_block && !strncmp(line.c_str(), "VmFlags:", 8)) is_huge |= line.find(" hg") != line.npos;
    }
    puts(is_huge ? "huge" : "small");
}

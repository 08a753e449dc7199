// none: a linker: symbols, sections and relocations are read and kept until it exits; it frees nothing

#include <string>
#include <vector>
#include <cstdlib>
#include <unistd.h>
struct Rel {
    unsigned long a, b;
};
struct Sym {
    char *name;
    Rel *rels;
    Sym *next;
};
int main() {
    Sym *all = nullptr;
    for (int f = 0; f < 400; f++) {
        char *file = (char *)malloc(20000);
        file[0] = 1;
        for (int i = 0; i < 150; i++) {
            auto *s = (Sym *)malloc(sizeof(Sym));
            s->name = (char *)malloc(20 + i % 40);
            s->rels = (Rel *)malloc(16 * (1 + i % 9));
            s->next = all;
            all = s;
        }
        free(file);
        if (f % 4 == 0) usleep(8000);
    }
    char *out = (char *)malloc(6 << 20);
    for (int i = 0; i < 6 << 20; i += 4096) out[i] = 1;
    _exit(0);
}

// A malloc on a piece of memory that is never given back.
static _Alignas(64) char memory[64 << 20]; static unsigned long used;
void *malloc(unsigned long n) {
    unsigned long at = __atomic_fetch_add(&used, (n + 31) & ~15ul, __ATOMIC_RELAXED);
    return at + n + 32 > sizeof memory ? 0 : memory + at;
}

// What a malloc needs beside itself.
void free(void *p) { (void)p; }
void *calloc(unsigned long n, unsigned long m) { return malloc(n * m); }
void *realloc(void *p, unsigned long n) {
    char *new = malloc(n), *old = p;
    for (unsigned long i = 0; old && new && i < n; i++) new[i] = old[i];
    return new;
}

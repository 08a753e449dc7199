// A library that calls back, from functions that are not where another version of it has them.
#if OTHER
int first(int number) { return number * 3; }
int second(int number) { return number * first(number) - 7; }
#endif

void *volatile kept;

__attribute__((noinline)) static void inner(void (*leaf)(int), int size) {
    char room[OTHER + 40];
    kept = room;
    leaf(size);
    kept = room;
}

void call(void (*leaf)(int), int size) {
    inner(leaf, size);
    kept = 0;
}

// A library with 64 bytes of static thread-local storage.
__thread char filled[64] __attribute__((tls_model("initial-exec"), aligned(64))) = {1};

char *fills_tls(void) { return filled; }

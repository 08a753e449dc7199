// A million calls of malloc.
#include <stdlib.h>
int main(void) {
    for (int i = 0; i < 1000000; i++) {
        void *volatile p = malloc(i % 5000);
        free(p);
    }
}

// leak: frames of pictures are decoded into buffers; a frame in thirty that is skipped keeps its buffer.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void) {
    for (int frame = 0; frame < 3000; frame++) {
        size_t size = 20000 + frame % 5 * 1000;
        unsigned char *buffer = malloc(size);
        memset(buffer, frame, size);
        void *rows[50];
        for (int row = 0; row < 50; row++) rows[row] = malloc(320);
        for (int row = 0; row < 50; row++) free(rows[row]);
        if (frame % 30 == 7) continue;
        free(buffer);
        if (frame % 100 == 0) usleep(2000);
    }
    return 0;
}

// leak: runs for less than a second, no pauses: of each 8 parsed records the comment of one is lost

#include <stdlib.h>
#include <string.h>
int main(void) {
    unsigned s = 3;
    for (int i = 0; i < 150000; i++) {
        char *f[8];
        for (int k = 0; k < 8; k++) {
            s = s * 1103515245 + 12345;
            f[k] = malloc(16 + (s >> 16) % 100);
            memset(f[k], k, 16);
        }
        for (int k = 0; k < 8; k++)
            if (!(k == 5 && (s >> 9) % 4 == 0)) free(f[k]);
    }
    return 0;
}

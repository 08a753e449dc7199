// none: constant after the start; live = resident

// A particle simulation: 500,000 particles allocated at the start, neighbour lists rebuilt each step (freed and
// allocated again, the same number); ends after 3 s.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <time.h>
typedef struct {
    double x[3], v[3];
    int *nb;
    int n;
} P;
int main(void) {
    int N = 500000;
    P **p = malloc(N * sizeof *p);
    unsigned s = 1;
    for (int i = 0; i < N; i++) {
        p[i] = malloc(sizeof(P));
        for (int k = 0; k < 3; k++) {
            s = s * 1664525 + 1013904223;
            p[i]->x[k] = s / 4e9;
            p[i]->v[k] = 0;
        }
        p[i]->n = 8;
        p[i]->nb = malloc(8 * sizeof(int));
        for (int k = 0; k < 8; k++) p[i]->nb[k] = (i * 31 + k * 7919) % N;
    }
    clock_t t0 = clock();
    int steps = 0;
    while (clock() - t0 < 2.5 * CLOCKS_PER_SEC) {
        for (int i = 0; i < N; i += 5) {
            free(p[i]->nb);
            p[i]->nb = malloc(8 * sizeof(int));
            for (int k = 0; k < 8; k++) p[i]->nb[k] = (i * 31 + (k + steps) * 7919) % N;
        }
        for (int i = 0; i < N; i++) {
            P *a = p[i];
            for (int k = 0; k < 8; k++) a->v[0] += (p[a->nb[k]]->x[0] - a->x[0]) * 1e-6;
            a->x[0] += a->v[0];
        }
        steps++;
    }
    printf("%d steps %f\n", steps, p[7]->x[0]);
    return 0;
}

// leak: Each batch leaves about 1 MB of strings of 20 to 320 bytes that are never freed, though all others of
// the batch are: a leak, a bit per batch; the dictionary from the beginning is not it.

/* A nightly exporter: every 400 ms a batch of rows comes from the database; each is turned into an object with its fields,
 * written out, and freed. A dictionary of place names is loaded first and stays.
 * FAULT (leak): a field that is set twice (a correction in the row) overwrites its pointer; the first string stays. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct row { long id; char *field[12]; char *note; };
static unsigned long seed = 99;
static unsigned rnd(unsigned n) { seed = seed * 6364136223846793005ul + 1442695040888963407ul; return (unsigned)(seed >> 33) % n; }

static char *copy(unsigned n) { char *s = malloc(n + 1); memset(s, 'r', n); s[n] = 0; return s; }

static void set(struct row *r, int i, unsigned n) { r->field[i] = copy(n); } /* FAULT: what was there? */

int main(void) {
    char **places = malloc(120000 * sizeof *places);
    for (int i = 0; i < 120000; i++) places[i] = copy(12 + rnd(90));
    long bytes = 0;
    for (int batch = 0; batch < 16; batch++) {
        int n = 9000 + rnd(4000);
        struct row **rows = calloc(n, sizeof *rows);
        for (int i = 0; i < n; i++) {
            struct row *r = rows[i] = calloc(1, sizeof *r);
            r->id = i;
            for (int f = 0; f < 12; f++) set(r, f, 8 + rnd(100));
            if (rnd(3) == 0)
                for (int k = 0; k < 4; k++) set(r, (int)rnd(12), 20 + rnd(300));
            r->note = rnd(10) ? NULL : copy(500 + rnd(2500));
        }
        char *out = malloc(1 << 16);
        for (int i = 0; i < n; i++) {
            int at = 0;
            for (int f = 0; f < 12; f++) at += snprintf(out + at, 4096, "%s,", rows[i]->field[f]);
            bytes += at + (places[rnd(120000)][0] == 'r');
        }
        free(out);
        for (int i = 0; i < n; i++) {
            for (int f = 0; f < 12; f++) free(rows[i]->field[f]);
            free(rows[i]->note);
            free(rows[i]);
        }
        free(rows);
        usleep(350000);
    }
    fprintf(stderr, "%ld bytes written\n", bytes);
    for (int i = 0; i < 120000; i++) free(places[i]);
    free(places);
    return 0;
}

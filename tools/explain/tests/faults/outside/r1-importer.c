// retention: All was freed, 111 MB are kept by glibc, since a block at the top of the heap is in use:
// malloc_trim(0) after an import gives it back.

/* An importer: it reads a file of records into a tree, checks them, writes them out, and frees everything; the summary that it made last
 * stays for whoever asks. Then it waits for the next file, answering a health check now and then.
 * FAULT (retention): all is free, but the summary is the topmost block of the heap, so glibc's break cannot go back. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct rec { struct rec *left, *right; unsigned key; char *name; char *address; };
static unsigned long seed = 4;
static unsigned rnd(unsigned n) { seed = seed * 6364136223846793005ul + 1442695040888963407ul; return (unsigned)(seed >> 33) % n; }
static char *text(unsigned n) { char *s = malloc(n + 1); memset(s, 'i', n); s[n] = 0; return s; }

static void drop(struct rec *r) { if (!r) return; drop(r->left); drop(r->right); free(r->name); free(r->address); free(r); }

int main(void) {
    struct rec *root = 0;
    for (int i = 0; i < 520000; i++) {
        struct rec *r = calloc(1, sizeof *r), **at = &root;
        r->key = rnd(1u << 30);
        r->name = text(10 + rnd(40));
        r->address = text(30 + rnd(170));
        while (*at) at = r->key < (*at)->key ? &(*at)->left : &(*at)->right;
        *at = r;
        if (i % 40000 == 0) usleep(10000);
    }
    char *summary = malloc(4000);
    int n = snprintf(summary, 4000, "520000 records, root %u", root->key);
    drop(root);
    for (int i = 0; i < 250; i++) {
        char *answer = malloc(300 + rnd(500));
        n += snprintf(answer, 200, "ok %s", summary);
        free(answer);
        usleep(10000);
    }
    fprintf(stderr, "%s\n", summary);
    return n < 0;
}

// none: builds a tree, walks it for a while, frees it.
#include <stdlib.h>
#include <unistd.h>

struct node {
    struct node *left, *right;
    unsigned key;
    char data[100];
};

static void add(struct node **at, unsigned key) {
    while (*at) at = key < (*at)->key ? &(*at)->left : &(*at)->right;
    *at = calloc(1, sizeof **at);
    (*at)->key = key;
}

static unsigned walk(struct node *at) { return at ? walk(at->left) + at->key + walk(at->right) : 0; }

static void clear(struct node *at) {
    if (!at) return;
    clear(at->left);
    clear(at->right);
    free(at);
}

int main(void) {
    struct node *root = NULL;
    unsigned key = 1, sum = 0;
    for (int i = 0; i < 200000; i++) add(&root, key = key * 1664525u + 1013904223u);
    for (int i = 0; i < 20; i++) sum += walk(root), usleep(2000);
    clear(root);
    return sum == 42;
}

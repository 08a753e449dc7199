// leak: a queue whose reader frees what is in a node, but not the node.
#include <stdlib.h>
#include <string.h>

struct node {
    struct node *next;
    char *job;
    long number, tries;
};

int main(void) {
    struct node *head = NULL, **tail = &head;
    long waiting = 0;
    for (long i = 0; i < 150000; i++) {
        struct node *node = malloc(sizeof *node);
        node->next = NULL;
        node->number = i;
        node->job = malloc(200 + i * 31 % 900);
        memset(node->job, 1, 200);
        *tail = node;
        tail = &node->next;
        if (++waiting > 500) {
            struct node *first = head;
            head = first->next;
            free(first->job);
            waiting--;
        }
    }
    return 0;
}

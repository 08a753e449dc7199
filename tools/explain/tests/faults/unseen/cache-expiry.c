// growing-cache: tokens expire after a number of ticks, but more arrive with every tick.
#include <stdlib.h>
#include <string.h>

struct token {
    struct token *next;
    int until;
    char text[];
};

int main(void) {
    struct token *first = NULL, **last = &first;
    for (int tick = 0; tick < 3000; tick++) {
        for (int i = 0; i < 5 + tick / 25; i++) {
            size_t size = 120 + (tick + i) % 90;
            struct token *token = malloc(sizeof *token + size);
            memset(token->text, 2, size);
            token->until = tick + 400;
            token->next = NULL;
            *last = token;
            last = &token->next;
            char *reply = malloc(700);
            memset(reply, 3, 700);
            free(reply);
        }
        while (first && first->until <= tick) {
            struct token *gone = first;
            if (!(first = gone->next)) last = &first;
            free(gone);
        }
    }
    return 0;
}

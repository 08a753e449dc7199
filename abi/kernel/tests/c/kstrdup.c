// kstrdup, kstrndup, kmemdup: copies of their own
#include "check.h"

int main(void) {
    char text[] = "a text of some length";
    char *copy = kstrdup(text, GFP_KERNEL);
    CHECK(copy != text && strcmp(copy, text) == 0);
    kfree(copy);
    copy = kstrndup(text, 6, GFP_KERNEL);
    CHECK(strcmp(copy, "a text") == 0);
    kfree(copy);
    copy = kstrndup(text, 1000, GFP_KERNEL);
    CHECK(strcmp(copy, text) == 0);
    kfree(copy);
    copy = kstrdup("", GFP_KERNEL);
    CHECK(copy[0] == '\0');
    kfree(copy);
    copy = kmemdup(text, sizeof text, GFP_KERNEL);
    CHECK(memcmp(copy, text, sizeof text) == 0);
    kfree(copy);
    return 0;
}

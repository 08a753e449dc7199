// own-mappings: 1 MiB slabs by the program's own mmap, growing; the heap is nothing

// A job queue with a slab allocator of its own: 1 MiB slabs straight from mmap, 128-byte jobs; the backlog grows for 20
// s as jobs come in faster than they are done. malloc is used for the log lines only.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <time.h>
typedef struct job {
    struct job *next;
    int id, pri;
    char arg[104];
} job;
static job *freelist, *head, *tail;
static size_t slabs, jobs;
static job *job_new(void) {
    if (!freelist) {
        job *s = mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        slabs++;
        for (size_t i = 0; i < (1 << 20) / sizeof(job); i++) {
            s[i].next = freelist;
            freelist = &s[i];
        }
    }
    job *j = freelist;
    freelist = j->next;
    jobs++;
    return j;
}
static void job_done(job *j) {
    j->next = freelist;
    freelist = j;
    jobs--;
}
int main(void) {
    time_t t0 = time(0);
    int id = 0;
    long s = 0;
    struct timespec ts = {0, 2000000};
    while (time(0) - t0 < 20) {
        for (int i = 0; i < 240; i++) {
            job *j = job_new();
            j->id = id++;
            j->next = 0;
            snprintf(j->arg, sizeof j->arg, "resize picture %d to 640x480", id);
            if (tail) tail->next = j;
            else head = j;
            tail = j;
        }
        for (int i = 0; i < 60 && head; i++) {
            job *j = head;
            head = j->next;
            if (!head) tail = 0;
            char *line = malloc(200);
            s += snprintf(line, 200, "done %d %s", j->id, j->arg);
            free(line);
            job_done(j);
        }
        nanosleep(&ts, 0);
    }
    printf("%zu waiting, %zu slabs, %ld\n", jobs, slabs, s);
    return 0;
}

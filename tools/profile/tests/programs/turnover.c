/* Profiles that begin and end while other threads, and children, are at it: argv[2] says how. */
#include <heapwright/profile.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, ROUNDS = 200, FORKS = 50 };

static const char *folder;
static pthread_barrier_t barrier;
static atomic_int begun, over;

#define CHECK(holds)                                                                                   \
    do {                                                                                               \
        if (!(holds)) {                                                                                \
            fprintf(stderr, "line %d: not %s\n", __LINE__, #holds);                                    \
            _exit(1);                                                                                  \
        }                                                                                              \
    } while (0)

static void allocate(int count) {
    for (int i = 0; i < count; i++) {
        void *block = malloc((size_t)i % 200 + 1);
        __asm__ volatile("" : "+r"(block));
        free(block);
    }
}

/* Of threads that begin one at once, one does. */
static void *begins(void *none) {
    for (int i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&barrier);
        begun += heapwright_profile_start(folder, 1) == 0;
        if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
            CHECK(begun == 1);
            begun = 0;
            heapwright_profile_stop();
        }
    }
    return none;
}

/* A child has no part in what its parent's threads are at: it begins its own. */
static void *turns_over(void *none) {
    while (!over) {
        if (heapwright_profile_start(folder, 1) == 0) heapwright_profile_stop();
        usleep(100);
    }
    return none;
}

static void forks(void) {
    for (int i = 0; i < FORKS; i++) {
        int status;
        pid_t child = fork();
        if (child == 0) {
            char copy[4096];
            alarm(100);
            snprintf(copy, sizeof copy, "%s/child", folder);
            heapwright_profile_stop();
            CHECK(heapwright_profile_start(folder, 1) == 0);
            CHECK(heapwright_profile_write(copy) == 0);
            _exit(0);
        }
        CHECK(waitpid(child, &status, 0) == child && status == 0);
    }
    over = 1;
}

/* A thread that comes late has no part in the next profile. */
static void *allocates(void *none) {
    while (!over) allocate(100);
    return none;
}

static void again(void) {
    for (int i = 0; i < ROUNDS; i++) {
        CHECK(heapwright_profile_start(folder, 1) == 0);
        allocate(1000);
        heapwright_profile_stop();
    }
    over = 1;
}

/* Threads that end when the profile has ended keep nothing of it. */
static void *outlives(void *none) {
    allocate(1000);
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    return none;
}

static int mapped(void) {
    char line[4096];
    int count = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, maps)) count += strstr(line, ".chunks") != NULL;
    fclose(maps);
    return count;
}

/* What could not be written leaves the older copy, and nothing beside it. */
static void older(void) {
    char copy[4096], words[64] = "";
    snprintf(copy, sizeof copy, "%s/now", folder);
    FILE *file = fopen(copy, "w");
    fputs("an older one\n", file);
    fclose(file);
    chmod(copy, 0600);
    CHECK(heapwright_profile_start(folder, 1) == 0);
    struct rlimit before, least;
    getrlimit(RLIMIT_FSIZE, &before);
    least = before;
    least.rlim_cur = 100;
    setrlimit(RLIMIT_FSIZE, &least);
    CHECK(heapwright_profile_write(copy) == -1);
    setrlimit(RLIMIT_FSIZE, &before);
    file = fopen(copy, "r");
    CHECK(fgets(words, sizeof words, file) && strcmp(words, "an older one\n") == 0);
    fclose(file);
    /* A link leads where it led, and its file has the rights that it had. */
    char link[4096];
    struct stat about;
    snprintf(link, sizeof link, "%s/link", folder);
    CHECK(symlink("now", link) == 0);
    CHECK(heapwright_profile_write(link) == 0);
    CHECK(lstat(link, &about) == 0 && S_ISLNK(about.st_mode));
    CHECK(lstat(copy, &about) == 0 && about.st_size >= 65536 && (about.st_mode & 0777) == 0600);
    CHECK(heapwright_profile_write("/dev/null") == -1);
    heapwright_profile_stop();
}

int main(int argc, char **argv) {
    pthread_t threads[THREADS];
    void *(*body)(void *) = NULL;
    const char *how = argv[2];
    (void)argc;
    folder = argv[1];
    if (strcmp(how, "older") == 0) {
        older();
        return 0;
    }
    int count = strcmp(how, "forks") == 0 ? 1 : THREADS;
    pthread_barrier_init(&barrier, NULL, strcmp(how, "outlives") == 0 ? THREADS + 1 : THREADS);
    if (strcmp(how, "begins") == 0) body = begins;
    if (strcmp(how, "forks") == 0) body = turns_over;
    if (strcmp(how, "again") == 0) body = allocates;
    if (strcmp(how, "outlives") == 0) {
        body = outlives;
        CHECK(heapwright_profile_start(folder, 1) == 0);
    }
    CHECK(body);
    for (int i = 0; i < count; i++) CHECK(pthread_create(&threads[i], NULL, body, NULL) == 0);
    if (body == turns_over) forks();
    if (body == allocates) again();
    if (body == outlives) {
        pthread_barrier_wait(&barrier);
        CHECK(mapped() > THREADS);
        heapwright_profile_stop();
        pthread_barrier_wait(&barrier);
    }
    for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
    /* The head stays for the next one. */
    if (body == outlives) CHECK(mapped() <= 1);
    return 0;
}

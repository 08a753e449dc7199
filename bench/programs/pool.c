/* A server with a pool of threads: `pool REQUESTS THREADS`. One thread reads requests and puts them into a queue, the pool
 * takes them out. A request brings a text that its reader allocated; the worker takes it apart, builds an answer, looks up and
 * replaces an entry of a cache that all share, and hands the answer to a third thread, which frees it. So blocks of many
 * lifetimes cross threads: request (reader to worker), answer (worker to writer), entry (worker to whichever replaces it).
 *
 *   reader ─ request ─► queue ─► workers ─ answer ─► queue ─► writer        cache: 64 shelves, a lock each, 40,000 entries
 *
 * Every block is filled, and looked at before it is freed. */
#include "common.h"

#include <pthread.h>

enum { DEPTH = 256, SHELVES = 64, PER_SHELF = 625, WORDS = 24, MOST_WORKERS = 64 };

typedef struct {
    unsigned char *text;
    size_t size;
    uint64_t key;
} Message;

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t filled, emptied;
    Message messages[DEPTH];
    uint64_t put, taken; /* each only grows; taken <= put <= taken + DEPTH */
    int closed;
} Queue;

#define QUEUE { .lock = PTHREAD_MUTEX_INITIALIZER, .filled = PTHREAD_COND_INITIALIZER, .emptied = PTHREAD_COND_INITIALIZER }
static Queue requests = QUEUE, answers = QUEUE;

static struct {
    pthread_mutex_t lock;
    Message entries[PER_SHELF];
} cache[SHELVES];

static void put(Queue *queue, Message message) {
    pthread_mutex_lock(&queue->lock);
    while (queue->put - queue->taken == DEPTH) pthread_cond_wait(&queue->emptied, &queue->lock);
    queue->messages[queue->put++ % DEPTH] = message;
    pthread_cond_signal(&queue->filled);
    pthread_mutex_unlock(&queue->lock);
}

/* 0: there will be no more. */
static int take(Queue *queue, Message *message) {
    pthread_mutex_lock(&queue->lock);
    while (queue->put == queue->taken && !queue->closed) pthread_cond_wait(&queue->filled, &queue->lock);
    int there = queue->put > queue->taken;
    if (there) *message = queue->messages[queue->taken++ % DEPTH];
    pthread_cond_signal(&queue->emptied);
    pthread_mutex_unlock(&queue->lock);
    return there;
}

static void close_queue(Queue *queue) {
    pthread_mutex_lock(&queue->lock);
    queue->closed = 1;
    pthread_cond_broadcast(&queue->filled);
    pthread_mutex_unlock(&queue->lock);
}

static Message message(uint64_t key, size_t size) {
    Message new = { must(malloc(size)), size, key };
    memset(new.text, (int)(key & 0xff), size);
    return new;
}

static void drop(Message old) {
    if (!old.text) return;
    if (old.text[0] != (old.key & 0xff) || old.text[old.size - 1] != (old.key & 0xff)) broken("pool: a block lost its text");
    free(old.text);
}

/* What one request costs: its words, an answer that grows, an entry of the cache. */
static void serve(Message request, Random *random) {
    unsigned char *words[WORDS];
    size_t sizes[WORDS];
    for (int i = 0; i < WORDS; i++) {
        sizes[i] = random_size(random, 4, 8);
        words[i] = must(malloc(sizes[i]));
        memset(words[i], i, sizes[i]);
    }
    size_t size = 0;
    unsigned char *text = NULL;
    for (int i = 0; i < WORDS; i++) {
        text = must(realloc(text, size + sizes[i]));
        memcpy(text + size, words[i], sizes[i]);
        size += sizes[i];
        if (words[i][0] != i) broken("pool: a word lost its text");
        free(words[i]);
    }
    memset(text, (int)(request.key & 0xff), size);
    uint32_t place = random_below(random, SHELVES * PER_SHELF);
    Message new = message(request.key, random_size(random, 5, 12));
    pthread_mutex_lock(&cache[place % SHELVES].lock);
    Message old = cache[place % SHELVES].entries[place / SHELVES];
    cache[place % SHELVES].entries[place / SHELVES] = new;
    pthread_mutex_unlock(&cache[place % SHELVES].lock);
    drop(old);
    Message answer = { text, size, request.key };
    drop(request);
    put(&answers, answer);
}

static void *work(void *number) {
    Random random = RANDOM((uint64_t)(uintptr_t)number);
    Message request;
    while (take(&requests, &request)) serve(request, &random);
    return NULL;
}

static void *write_answers(void *count) {
    Message answer;
    while (take(&answers, &answer)) {
        *(uint64_t *)count += 1;
        drop(answer);
    }
    return NULL;
}

int main(int argc, char **argv) {
    uint64_t count = argument(argc, argv, 1, 200000), threads = argument(argc, argv, 2, 4), written = 0;
    if (threads < 1 || threads > MOST_WORKERS) broken("pool: from 1 to 64 threads");
    pthread_t workers[MOST_WORKERS], writer;
    for (int i = 0; i < SHELVES; i++) pthread_mutex_init(&cache[i].lock, NULL);
    if (pthread_create(&writer, NULL, write_answers, &written)) broken("pool: cannot create a thread");
    for (uint64_t i = 0; i < threads; i++)
        if (pthread_create(&workers[i], NULL, work, (void *)(uintptr_t)(i + 1))) broken("pool: cannot create a thread");
    Random random = RANDOM(99);
    uint64_t began = wall_ns();
    for (uint64_t i = 0; i < count; i++) put(&requests, message(i, random_size(&random, 6, 13)));
    close_queue(&requests);
    for (uint64_t i = 0; i < threads; i++) pthread_join(workers[i], NULL);
    close_queue(&answers);
    pthread_join(writer, NULL);
    if (written != count) broken("pool: an answer is missing");
    print("ns", wall_ns() - began);
    print("requests", count);
    return 0;
}

/* A thread that resizes a table of 1,000 blocks all the time, also when the process ends. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static void **volatile table;

static void *resizes(void *unused) {
	for (size_t i = 0;; i++) table = realloc(table, (1000 + i % 7 * 999) * sizeof *table);
	return unused;
}

int main(void) {
	table = malloc(1000 * sizeof *table);
	for (int i = 0; i < 1000; i++) table[i] = malloc(24);
	pthread_t thread;
	pthread_create(&thread, NULL, resizes, NULL);
	usleep(20000);
}

/* One leak each, or none: argv[1] says which. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <search.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

struct node {
	struct node *next, *before;
	void *what;
};

static void *global;
static struct node *head;
static __thread void *local;
static pthread_barrier_t barrier;
static pthread_key_t key;

/* What is in registers and on the stack below is gone. */
static __attribute__((noinline)) void scrub(void)
{
	volatile char stack[16 << 10];
	memset((void *)stack, 0, sizeof stack);
	for (size_t i = 0; i < sizeof stack; i++)
		stack[i] = 0;
}

/* Leaves room between the caller's frame and the body's, which the caller's next call clears. */
static __attribute__((noinline)) void deeper(void (*body)(void))
{
	volatile char room[256];
	room[0] = 0;
	body();
}

static struct node *list(int len, int is_ring)
{
	struct node *first = NULL, *last = NULL;
	for (int i = 0; i < len; i++) {
		struct node *one = calloc(1, sizeof *one);
		one->next = first;
		if (first)
			first->before = one;
		else
			last = one;
		first = one;
	}
	if (is_ring) {
		last->next = first;
		first->before = last;
	}
	return first;
}

/* Leaks. */
static void direct(void) { strcpy(malloc(100), "lost"); }
static void cleared(void) { memset(calloc(10, 10), 1, 100); }
static void grown(void) { strcpy(realloc(malloc(10), 5000), "lost"); }
static void aligned(void) { strcpy(aligned_alloc(64, 128), "lost"); }
static void copied(void) { if (!strdup("lost")) abort(); }
static void large(void) { strcpy(malloc(1 << 20), "lost"); }
static void nothing(void) { if (!malloc(0)) abort(); }
static void many(void) { for (int i = 0; i < 1000; i++) memset(malloc(24), 1, 24); }
static void chain(void) { struct node *first = list(10, 0); for (struct node *n = first; n; n = n->next) n->before = NULL; }
static void ring(void) { list(5, 1); }
static void overwritten(void) { global = malloc(50); global = malloc(60); }
static void holder(void) { void **h = malloc(8); *h = malloc(70); free(h); }
static void cut(void) { head = list(6, 0); struct node *rest = head->next->next->next; head->next->next->next = NULL; rest->before = NULL; for (struct node *n = rest; n; n = n->next) n->before = NULL; }
static void tree(void) { void **root = malloc(32); for (int i = 0; i < 4; i++) { root[i] = calloc(2, 8); *(void **)root[i] = malloc(8); } }
static void line(void) { char *text = NULL; size_t room = 0; FILE *f = fopen("/proc/self/comm", "r"); if (getline(&text, &room, f) < 0) abort(); fclose(f); }
static void printed(void) { char *text; if (asprintf(&text, "%d", 7) < 0) abort(); }
static void hidden(void) { global = (void *)~(uintptr_t)malloc(40); }
static void *ends_with_local(void *x) { local = malloc(80); return x; }
static void *ends_with_stack(void *x) { void *volatile on_stack = malloc(90); (void)on_stack; return x; }
static void *ends_with_value(void *x) { pthread_setspecific(key, malloc(64)); return x; }
static void thread(void *(*body)(void *)) { pthread_t t; pthread_create(&t, NULL, body, NULL); pthread_join(t, NULL); }
static void dead_local(void) { thread(ends_with_local); }
static void dead_stack(void) { thread(ends_with_stack); }
static void dead_value(void) { pthread_key_create(&key, NULL); thread(ends_with_value); }
static void unmapped(void) { void **map = mmap(NULL, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); *map = malloc(44); munmap(map, 4096); }
static ucontext_t here, there;
static void makes_coroutine(void (*body)(void), void *stack, size_t len) { getcontext(&there); there.uc_stack.ss_sp = stack; there.uc_stack.ss_size = len; makecontext(&there, body, 0); }
static void ends_here(void) { exit(0); }
static void holds_one(void) { void **h = malloc(8); *h = malloc(70); }
static void cut_in_coroutine(void) { makes_coroutine(ends_here, global = malloc(64 << 10), 64 << 10); deeper(holds_one); scrub(); swapcontext(&here, &there); }
static void behind_end(void) { char *block = malloc(64); global = block + 64; }

/* No leaks. */
static void kept(void) { global = malloc(100); }
static void kept_list(void) { head = list(100, 0); }
static void kept_inside(void) { global = (char *)malloc(100) + 57; }
static void in_static(void) { static void *all[100]; for (int i = 0; i < 100; i++) all[i] = malloc((size_t)i); }
static void in_local(void) { local = malloc(30); }
static void in_mapping(void) { void **map = mmap(NULL, 1 << 20, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); map[70000] = malloc(33); global = NULL; }
static void in_shared(void) { void **map = mmap(NULL, 8192, 3, MAP_SHARED | MAP_ANONYMOUS, -1, 0); map[5] = malloc(33); }
static void in_environment(void) { setenv("A_VARIABLE", "of some length", 1); }
static void in_file(void) { if (!fopen("/dev/null", "r")) abort(); }
static void in_large(void) { void **big = malloc(4 << 20); global = big; big[500000] = malloc(3); }
static void *waits(void *x) { void *volatile on_stack = malloc(90); local = malloc(91); pthread_setspecific(key, malloc(92)); pthread_barrier_wait(&barrier); for (;;) pause(); return on_stack ? x : 0; }
static void *waits_deaf(void *x) { sigset_t all; sigfillset(&all); pthread_sigmask(SIG_SETMASK, &all, NULL); return waits(x); }
static void *spins(void *x) { register void *block = malloc(95); pthread_barrier_wait(&barrier); for (;;) __asm__ volatile("" : "+r"(block)); return x; }
static void live(void *(*body)(void *)) { pthread_t t; pthread_key_create(&key, NULL); pthread_barrier_init(&barrier, NULL, 2); pthread_create(&t, NULL, body, NULL); pthread_barrier_wait(&barrier); }
static void in_thread(void) { live(waits); }
static void in_deaf_thread(void) { live(waits_deaf); }
static void in_thread_without_signals(void) { struct rlimit none = { 0, 0 }; setrlimit(RLIMIT_SIGPENDING, &none); live(waits); }
static void in_register(void) { live(spins); }
static void in_tree(void) { static void *root; for (int i = 0; i < 50; i++) tsearch(memset(malloc(8), i + 1, 7), &root, (int (*)(const void *, const void *))strcmp); }
static void on_other_stack(void) { void *volatile block = malloc(77); (void)block; swapcontext(&there, &here); }
static void in_coroutine(void) { makes_coroutine(on_other_stack, global = malloc(64 << 10), 64 << 10); swapcontext(&here, &there); }
static void exits_in_coroutine(void) { void *volatile block = malloc(66); makes_coroutine(ends_here, global = malloc(64 << 10), 64 << 10); if (block) swapcontext(&here, &there); }
static void gives_signals_a_stack(void) { stack_t stack = { .ss_sp = malloc(64 << 10), .ss_size = 64 << 10 }; if (sigaltstack(&stack, NULL)) abort(); }
static void on_signal_stack(void) { deeper(gives_signals_a_stack); }
static void ends_in_handler(int number) { exit(number != SIGUSR1); }
static void exits_in_handler(void) { void *volatile block = malloc(66); struct sigaction ends = { .sa_handler = ends_in_handler, .sa_flags = SA_ONSTACK }; deeper(gives_signals_a_stack); scrub(); sigaction(SIGUSR1, &ends, NULL); if (block) raise(SIGUSR1); }
/* A stack that no handler fits on, above a page that is not there. Nothing is called there. */
static volatile int is_there;
static void spins_there(void) { void *volatile block = global; global = NULL; is_there = 1; while (block) __asm__ volatile("" ::: "memory"); }
static void *goes_there(void *x) { gives_signals_a_stack(); global = malloc(88); char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); mprotect(pages, 4096, PROT_NONE); makes_coroutine(spins_there, pages + 4096, 1024); swapcontext(&here, &there); return x; }
static void in_small_stack(void) { pthread_t t; pthread_create(&t, NULL, goes_there, NULL); while (!is_there) usleep(1000); }
static void in_library(void) { if (!dlopen("libm.so.6", RTLD_NOW)) abort(); }
static void at_exit_freed(void) { free(global); }
static void freed_late(void) { global = malloc(10); atexit(at_exit_freed); }
static void exits(void) { void *volatile block = malloc(66); if (block) exit(0); }

static const struct { const char *name; void (*body)(void); } CASES[] = {
#define CASE(name) { #name, name }
	CASE(direct), CASE(cleared), CASE(grown), CASE(aligned), CASE(copied), CASE(large), CASE(nothing), CASE(many),
	CASE(chain), CASE(ring), CASE(overwritten), CASE(holder), CASE(cut), CASE(tree), CASE(line), CASE(printed),
	CASE(hidden), CASE(dead_local), CASE(dead_stack), CASE(dead_value), CASE(unmapped), CASE(behind_end),
	CASE(cut_in_coroutine), CASE(in_thread_without_signals), CASE(in_small_stack), CASE(on_signal_stack), CASE(exits_in_coroutine), CASE(exits_in_handler),
	CASE(kept), CASE(kept_list), CASE(kept_inside), CASE(in_static), CASE(in_local), CASE(in_mapping), CASE(in_shared),
	CASE(in_environment), CASE(in_file), CASE(in_large), CASE(in_thread), CASE(in_deaf_thread), CASE(in_register),
	CASE(in_tree), CASE(in_coroutine), CASE(in_library), CASE(freed_late), CASE(exits),
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof CASES / sizeof *CASES; i++)
		if (strcmp(CASES[i].name, argv[1]) == 0) {
			deeper(CASES[i].body);
			scrub();
			return 0;
		}
	return 2;
}

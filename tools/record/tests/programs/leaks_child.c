/* A child that loses what it inherited, reaches a block of its own by an inherited one, and loses one of two that one function
 * allocates for two others, nine calls further in. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

struct node {
	struct node *next;
};

static struct node *kept, *dropped;

static __attribute__((noinline)) struct node *inherited(void)
{
	return calloc(1, sizeof(struct node));
}

static __attribute__((noinline)) struct node *deep(int calls)
{
	struct node *made = calls ? deep(calls - 1) : malloc(40);
	__asm__ volatile("" : "+r"(made));
	return made;
}

static __attribute__((noinline)) struct node *for_first(void)
{
	struct node *made = deep(8);
	__asm__ volatile("" : "+r"(made));
	return made;
}

static __attribute__((noinline)) struct node *for_second(void)
{
	struct node *made = deep(8);
	__asm__ volatile("" : "+r"(made));
	return made;
}

/* What is in registers and on the stack below is gone. */
static __attribute__((noinline)) void scrub(void)
{
	volatile char stack[16 << 10];
	for (size_t i = 0; i < sizeof stack; i++)
		stack[i] = 0;
}

static __attribute__((noinline)) void as_child(void)
{
	dropped = NULL;
	kept->next = malloc(sizeof(struct node));
	kept->next->next = for_first();
	for_second();
	for (int i = 0; i < 100; i++) {
		kept->next->next->next = for_first();
		free(for_second());
	}
}

int main(void)
{
	kept = inherited();
	dropped = inherited();
	pid_t child = fork();
	if (child == 0) {
		as_child();
		scrub();
		exit(0);
	}
	int status;
	if (waitpid(child, &status, 0) != child || status != 0)
		return 1;
	scrub();
	return 0;
}

// One leak each of C++, or none: argv[1] says which.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

struct Counted {
	virtual ~Counted() { ++gone; }
	static int gone;
	long what = 7;
};
int Counted::gone = 0;

struct Other {
	virtual ~Other() = default;
	long more = 8;
};

struct Both : Counted, Other {};

struct Part {
	std::shared_ptr<Part> other;
};

static Counted *of_array;
static Other *of_both;
static std::map<int, std::string> *table;
static std::function<int()> *call;

// Leaks.
static void object() { new Counted; }
static void array() { new Counted[10]; }
static void in_vector() { new std::vector<long>(100); }
static void in_map() { auto *all = new std::map<int, int>; (*all)[1] = 2; }
static void of_pointers() { std::vector<Counted *> all; for (int i = 0; i < 20; i++) all.push_back(new Counted); }
static void released() { std::make_unique<Counted>().release(); }
static void shared_ring() { auto a = std::make_shared<Part>(), b = std::make_shared<Part>(); a->other = b; b->other = a; }
static void thrown() { try { auto *lost = new Counted; if (lost->what) throw std::runtime_error("past a delete"); delete lost; } catch (const std::exception &) {} }
static void in_thread() { std::thread([] { new Counted; }).join(); }

// No leaks.
static void kept_array() { of_array = new Counted[10]; }
static void kept_second_base() { of_both = new Both; }
static void kept_map() { table = new std::map<int, std::string>; for (int i = 0; i < 100; i++) (*table)[i] = std::string(100, 'x'); }
static void in_function() { std::string text(1000, 'x'); call = new std::function<int()>([text] { return int(text.size()); }); }
static void statics() { static std::vector<std::string> all; all.emplace_back(1000, 'x'); }
static void printed() { std::printf("%s\n", std::string(100, 'x').c_str()); }
static thread_local std::vector<std::string> local;
static void in_local() { local.emplace_back(100, 'x'); }
static void caught() { try { throw std::runtime_error(std::string(100, 'x')); } catch (const std::exception &) {} }

static const struct { const char *name; void (*body)(); } CASES[] = {
#define CASE(name) { #name, name }
	CASE(object), CASE(array), CASE(in_vector), CASE(in_map), CASE(of_pointers), CASE(released), CASE(shared_ring),
	CASE(thrown), CASE(in_thread), CASE(kept_array), CASE(kept_second_base), CASE(kept_map), CASE(in_function),
	CASE(statics), CASE(printed), CASE(in_local), CASE(caught),
};

// What is on the stack below is gone; nor is it in the caller's frame.
static __attribute__((noinline)) void deeper(void (*body)())
{
	volatile char room[256];
	room[0] = 0;
	body();
}

static __attribute__((noinline)) void scrub()
{
	volatile char stack[32 << 10];
	for (size_t i = 0; i < sizeof stack; i++)
		stack[i] = 0;
}

int main(int argc, char **argv)
{
	for (auto &one : CASES)
		if (argc > 1 && std::strcmp(one.name, argv[1]) == 0) {
			deeper(one.body);
			scrub();
			return 0;
		}
	return 2;
}

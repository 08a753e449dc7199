// A program that keeps the compiler busy with templates and, when it runs, the allocator with containers.
// Prints sums of what it kept: the same on every malloc. With PATTERNS it has some, which take two thirds of the compiler's time.
#include <algorithm>
#include <any>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <forward_list>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <queue>
#include <random>
#ifdef PATTERNS
#include <regex>
#endif
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

namespace {

using Value = std::variant<std::int64_t, std::string, std::vector<std::string>, std::map<std::string, std::string>>;

std::string word(std::mt19937_64 &rng) {
    std::string made(1 + rng() % 48, 'a');
    for (char &letter : made) letter = static_cast<char>('a' + rng() % 10);
    return made;
}

std::uint64_t sum(const std::string &text) {
    std::uint64_t total = text.size();
    for (char letter : text) total = total * 31 + static_cast<unsigned char>(letter);
    return total;
}

template <typename Map>
std::uint64_t churn_map(std::uint64_t seed) {
    std::mt19937_64 rng(seed);
    Map map;
    for (int i = 0; i < 60'000; ++i) {
        map[word(rng)] = Value(static_cast<std::int64_t>(i));
        if (i % 3 == 0) map[word(rng).substr(0, 3)] = Value(std::vector<std::string>(rng() % 4, word(rng)));
        if (i % 5 == 0 && !map.empty()) map.erase(map.begin());
    }
    std::uint64_t total = 0;
    for (const auto &[key, value] : map)
        total += sum(key) ^ std::visit([](const auto &held) {
                     using Held = std::decay_t<decltype(held)>;
                     if constexpr (std::is_same_v<Held, std::int64_t>) return static_cast<std::uint64_t>(held);
                     else return static_cast<std::uint64_t>(held.size());
                 }, value);
    return total;
}

template <typename Sequence>
std::uint64_t churn_sequence(std::uint64_t seed) {
    std::mt19937_64 rng(seed);
    Sequence kept;
    for (int i = 0; i < 50'000; ++i) {
        kept.insert(rng() % 2 ? kept.begin() : kept.end(), word(rng));
        if (kept.size() > 300) kept.erase(std::next(kept.begin(), static_cast<long>(rng() % 100)));
    }
    std::uint64_t total = 0;
    for (const auto &text : kept) total = total * 7 + sum(text);
    return total;
}

struct alignas(128) Wide {
    std::uint64_t lanes[16] = {};
};

struct Node {
    std::vector<std::unique_ptr<Node>> children;
    std::shared_ptr<std::string> name;
};

std::unique_ptr<Node> grow(std::mt19937_64 &rng, int depth) {
    auto node = std::make_unique<Node>();
    node->name = std::make_shared<std::string>(word(rng));
    for (int i = 0; depth > 0 && i < 7; ++i) node->children.push_back(grow(rng, depth - 1));
    return node;
}

std::uint64_t total(const Node &node) {
    std::uint64_t found = sum(*node.name);
    for (const auto &child : node.children) found += total(*child);
    return found;
}

std::uint64_t aligned_objects() {
    std::vector<std::unique_ptr<Wide>> kept;
    for (std::uint64_t i = 0; i < 20'000; ++i) {
        auto wide = std::make_unique<Wide>();
        if (reinterpret_cast<std::uintptr_t>(wide.get()) % alignof(Wide) != 0) std::abort();
        wide->lanes[i % 16] = i;
        if (i % 4 == 0) kept.push_back(std::move(wide));
    }
    std::uint64_t found = 0;
    for (const auto &wide : kept)
        for (auto lane : wide->lanes) found += lane;
    return found;
}

// Calls of the operators themselves: a new-expression may be optimised away.
bool refuses_the_impossible() {
    volatile std::size_t wish = static_cast<std::size_t>(-1) / 4;
    if (::operator new(wish, std::nothrow) != nullptr) return false;
    try {
        ::operator delete(::operator new(wish));
        return false;
    } catch (const std::bad_alloc &) {
        return true;
    }
}

std::uint64_t text_work() {
    std::mt19937_64 rng(5);
    std::ostringstream out;
    for (int i = 0; i < 4'000; ++i) out << word(rng) << (i % 9 ? ' ' : '\n');
    const std::string text = out.str();
    std::uint64_t found = 0;
#ifdef PATTERNS
    const std::regex pair("([a-c]+)([d-j]{2})");
    for (std::sregex_iterator at(text.begin(), text.end(), pair), end; at != end; ++at) found += sum(at->str(1));
#endif
    std::istringstream in(text);
    for (std::string part; in >> part;) found += sum(part);
    return found;
}

std::uint64_t threads() {
    std::vector<std::uint64_t> sums(4);
    std::vector<std::thread> running;
    for (std::uint64_t i = 0; i < sums.size(); ++i)
        running.emplace_back([&sums, i] {
            sums[i] = churn_map<std::unordered_map<std::string, Value>>(i) != 0;
            sums[i] += churn_sequence<std::list<std::string>>(i);
        });
    for (auto &thread : running) thread.join();
    std::uint64_t found = 0;
    for (auto part : sums) found += part;
    return found;
}

}  // namespace

int main() {
    std::printf("map %llx\n", static_cast<unsigned long long>(churn_map<std::map<std::string, Value>>(1)));
    std::printf("vector %llx\n", static_cast<unsigned long long>(churn_sequence<std::vector<std::string>>(2)));
    std::printf("deque %llx\n", static_cast<unsigned long long>(churn_sequence<std::deque<std::string>>(3)));
    std::printf("list %llx\n", static_cast<unsigned long long>(churn_sequence<std::list<std::string>>(4)));
    std::mt19937_64 rng(6);
    std::printf("tree %llx\n", static_cast<unsigned long long>(total(*grow(rng, 5))));
    std::printf("aligned %llx\n", static_cast<unsigned long long>(aligned_objects()));
    std::printf("bad_alloc %d\n", refuses_the_impossible());
    std::printf("text %llx\n", static_cast<unsigned long long>(text_work()));
    std::printf("threads %llx\n", static_cast<unsigned long long>(threads()));
}

// What the compiler is given: code heavy in the standard library's templates. It is compiled, not run.
#include <algorithm>
#include <deque>
#include <functional>
#include <iostream>
#include <list>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

template <int N> struct Tag {
    int values[N + 1];
    bool operator<(const Tag &other) const { return values[0] < other.values[0]; }
};

template <int N> struct Index {
    using Key = std::tuple<int, std::string, Tag<N>>;
    std::map<Key, std::vector<Tag<N>>> ordered;
    std::unordered_map<std::string, std::shared_ptr<std::deque<Tag<N>>>> hashed;
    std::variant<int, std::string, Tag<N>> last;

    void add(int i, const std::string &name) {
        Tag<N> tag{};
        tag.values[0] = i;
        ordered[Key(i, name, tag)].push_back(tag);
        auto &queue = hashed[name];
        if (!queue) queue = std::make_shared<std::deque<Tag<N>>>();
        queue->push_front(tag);
        last = tag;
    }

    std::string describe() const {
        std::ostringstream out;
        for (const auto &[key, tags] : ordered) out << std::get<1>(key) << ':' << tags.size() << ' ';
        std::visit([&](const auto &value) { out << sizeof value; }, last);
        return out.str();
    }
};

template <int N> int exercise(const std::vector<std::string> &words) {
    Index<N> index;
    for (std::size_t i = 0; i < words.size(); i++) index.add(static_cast<int>(i), words[i]);
    std::set<Tag<N>> tags;
    std::list<std::function<int(int)>> steps;
    for (const auto &word : words) {
        tags.insert(Tag<N>{});
        steps.push_back([length = word.size()](int x) { return x + static_cast<int>(length) * N; });
    }
    std::vector<int> lengths(words.size());
    std::transform(words.begin(), words.end(), lengths.begin(), [](const auto &w) { return static_cast<int>(w.size()); });
    std::stable_sort(lengths.begin(), lengths.end(), std::greater<>());
    int total = std::accumulate(lengths.begin(), lengths.end(), N);
    for (const auto &step : steps) total = step(total);
    return total + static_cast<int>(index.describe().size() + tags.size());
}

int main() {
    std::istringstream text("one two3 four55 six");
    std::vector<std::string> words;
    for (std::string word; text >> word;) words.push_back(word);
    std::unordered_set<int> results{exercise<1>(words), exercise<2>(words)};
    for (int result : results) std::cout << result << '\n';
}

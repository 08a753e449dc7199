#!/bin/sh
# cppcheck.sh FOLDER FILES: cppcheck checks FILES sources in C++, full of templates, in one process.
#
# The sources are made in FOLDER at the first run and stay there for the next ones. Each has one division by zero and one
# variable without a value, which have to be found, and nothing else of their kind.
set -u
say() { echo "cppcheck: $*" >&2; exit 1; }
for tool in cppcheck awk mktemp; do
    command -v "$tool" >/dev/null 2>&1 || say "$tool is not installed"
done
[ $# -eq 2 ] || say "usage: cppcheck.sh FOLDER FILES"
files=$2
home=$1/cppcheck-$files
. "${0%/*}/workplace.inc"

# A container, an algorithm and a visitor for each of several shapes, instantiated with each other.
sources() {
    awk -v files="$files" -v folder="$1" 'function put(text) { print text > file }
    BEGIN {
        for (f = 0; f < files; f++) {
            file = folder "/file" f ".cpp"
            put("namespace part" f " {")
            put("typedef decltype(sizeof(0)) size_type;")
            put("template <class T, size_type N> class Ring {\n    T items[N];\n    size_type first, count;\npublic:")
            put("    Ring() : items(), first(0), count(0) {}\n    size_type size() const { return count; }")
            put("    bool push(const T &value) {\n        if (count == N) return false;\n        items[(first + count++) % N] = value;\n        return true;\n    }")
            put("    const T &operator[](size_type i) const { return items[(first + i) % N]; }\n};")
            put("template <class A, class B> struct Pair { A a; B b; Pair() : a(), b() {} Pair(const A &x, const B &y) : a(x), b(y) {} };")
            put("template <class T> struct Sum { T operator()(const T &x, const T &y) const { return x + y; } };")
            put("template <int N> struct Power { enum { value = 2 * Power<N - 1>::value }; };\ntemplate <> struct Power<0> { enum { value = 1 }; };")
            put("template <class C, class F, class T> T fold(const C &all, F call, T value) {\n    for (size_type i = 0; i < all.size(); ++i) value = call(value, all[i]);\n    return value;\n}")
            for (i = 0; i < 40; i++) {
                type = i % 3 == 0 ? "int" : i % 3 == 1 ? "long" : "Pair<int, long>"
                put("template <class T> class Shape" i " {\n    Ring<T, " 8 + i "> kept;" )
                put("public:")
                put("    int tell(int much) const {\n        int told = 0;\n        switch (much % 5) {")
                for (k = 0; k < 4; k++) put("        case " k ": told += much * " (f * 7 + i * 3 + k) % 97 + 1 "; break;")
                put("        default: while (much > told) { told += much / 3 + 1; if (told > " 100 + i * f % 50 ") break; }\n        }\n        return told;\n    }")
                put("    bool keep(const T &value) { return kept.push(value); }\n    size_type size() const { return kept.size(); }\n};")
                put("int use" i "(int start) {\n    Shape" i "<" type "> shape;\n    Ring<int, Power<" i % 5 ">::value> ring;")
                put("    for (int i = 0; i < start; ++i) {\n        if (i % 3 == " i % 3 ") ring.push(shape.tell(i));\n        else if (!shape.keep(" type "())) break;\n    }")
                put("    return fold(ring, Sum<int>(), static_cast<int>(shape.size()));\n}")
            }
            put("int wrong(int a) {\n    int zero = 0;\n    if (a > " f ") return a / zero;\n    int none;\n    return a + none;\n}\n}")
            close(file)
        }
    }'
}
if [ ! -d "$home" ]; then
    mkdir "$run/new" && sources "$run/new" && mv "$run/new" "$home" || say "the sources cannot be made"
fi

LD_PRELOAD=$preload cppcheck -q --std=c++17 --enable=style --max-ctu-depth=1 --template='{id}' "$home" >"$run/said" 2>"$run/found" ||
    say "cppcheck failed: $(tail -n 1 "$run/said" "$run/found")"
for kind in zerodiv uninitvar; do
    found=$(grep -c "^$kind" "$run/found")
    [ "$found" -eq "$files" ] || say "$kind is found $found times, not $files: $(sort "$run/found" | uniq -c | tr '\n' ' ')"
done

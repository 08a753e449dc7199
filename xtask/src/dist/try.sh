#!/bin/sh
# Unpacks $1, the tarball or the Debian package, into the current folder and uses all of it, without Rust and without root.
set -eu
fail() { echo "dist: $*" >&2; exit 1; }
has() { command -v "$1" >/dev/null || { echo "dist: skipped: there is no $1" >&2; return 1; }; }
for tool in cargo rustc; do ! command -v $tool >/dev/null || fail "$tool is on the PATH: this tries nothing"; done

case $1 in
*.deb)
    dpkg-deb --info "$1" | grep -q '^ Depends: libc6' || fail "the package does not name its C library"
    dpkg-deb --contents "$1" | grep -q ' root/root .* ./usr/bin/heapwright$' || fail "the package has no usr/bin/heapwright of root's"
    dpkg-deb --extract "$1" package
    cd package/usr
    ;;
*)
    tar -xzf "$1"
    cd heapwright-*/
    ;;
esac
here=$PWD
# The library prints a table at the exit of a program that runs on it.
runs_on_us() { HEAPWRIGHT=stats=1 "$@" 2>&1 | grep -q '^heapwright' || fail "not on our malloc: $*"; }

bin/heapwright --version | grep -q '^heapwright [0-9]' || fail "no version"
bin/heapwright run -- /bin/true || fail "run"
bin/heapwright bench --list | grep -q larson || fail "bench --list"
for file in share/man/man1/heapwright.1 share/man/man1/heapwright-bench.1 share/zsh/site-functions/_heapwright \
    share/bash-completion/completions/heapwright share/fish/vendor_completions.d/heapwright.fish \
    share/doc/heapwright/LICENSE-MIT; do
    [ -s $file ] || fail "there is no $file"
done

# By its path, and by its name where the loader looks for libraries.
for link in lib/libheapwright.so lib/libheapwright-*.so; do
    [ -e $link ] || continue
    runs_on_us env LD_PRELOAD="$here/$link" /bin/true
    runs_on_us env LD_LIBRARY_PATH="$here/lib" LD_PRELOAD="${link#lib/}.0" /bin/true
done
if has ldconfig; then
    # It makes the links anew, by what the libraries say of themselves.
    rm lib/libheapwright.so.0
    ldconfig -n lib
    [ -e lib/libheapwright.so.0 ] || fail "the soname is not libheapwright.so.0"
fi

cat >program.c <<'C'
#include <heapwright.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
    char *text = malloc(100);
    if (text == NULL) return 1;
    strcpy(text, heapwright_version());
    int is_wrong = text[0] == 0;
    free_sized(text, 100);
    heapwright_purge();
    return is_wrong;
}
C
cat >kernel.c <<'C'
#include <heapwright/kernel.h>
int main(void) {
    struct kmem_cache *cache = kmem_cache_create("thing", 48, 0, 0, 0);
    if (!cache) return 1;
    void *thing = kmem_cache_alloc(cache, GFP_KERNEL);
    if (!thing) return 2;
    kmem_cache_free(cache, thing);
    kmem_cache_destroy(cache);
    return 0;
}
C
if has cc; then
    cc -Iinclude kernel.c lib/libheapwright_kernel.a -lpthread -o kernel-static && ./kernel-static || fail "libheapwright_kernel.a"
    cc -Iinclude program.c lib/libheapwright.a -lpthread -o static
    runs_on_us ./static
    if has pkg-config; then
        export PKG_CONFIG_PATH="$here/lib/pkgconfig"
        # shellcheck disable=SC2046  # the words are meant to be split
        cc program.c $(pkg-config --cflags --libs heapwright) -o by-pkg-config
        runs_on_us env LD_LIBRARY_PATH="$here/lib" ./by-pkg-config
        # shellcheck disable=SC2046  # likewise
        cc kernel.c $(pkg-config --cflags --libs heapwright-kernel) -o kernel-by-pkg-config
        LD_LIBRARY_PATH="$here/lib" ./kernel-by-pkg-config || fail "libheapwright_kernel.so"
    fi
    if has cmake; then
        cat >CMakeLists.txt <<'M'
cmake_minimum_required(VERSION 3.13)
project(try C)
find_package(heapwright 0.1 REQUIRED)
add_executable(shared program.c)
target_link_libraries(shared heapwright::heapwright)
add_executable(linked-in program.c)
target_link_libraries(linked-in heapwright::static)
add_executable(kernel kernel.c)
target_link_libraries(kernel heapwright::kernel)
M
        { cmake -S . -B made -DCMAKE_PREFIX_PATH="$here" && cmake --build made; } >made.log || { cat made.log; fail cmake; }
        runs_on_us made/shared
        runs_on_us made/linked-in
        made/kernel || fail "heapwright::kernel"
    fi
fi
echo "dist: ${1##*/} works here"

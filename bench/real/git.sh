#!/bin/sh
# git.sh FOLDER COMMITS: git packs a history of COMMITS commits anew, shows it with its differences, blames and checks it.
#
# The repository is made in FOLDER at the first run, by the C library's malloc, and stays there for the next runs: nothing
# that they do changes it. One thread, so that the work is always the same.
set -u
say() { echo "git: $*" >&2; exit 1; }
for tool in git awk mktemp; do
    command -v "$tool" >/dev/null 2>&1 || say "$tool is not installed"
done
[ $# -eq 2 ] || say "usage: git.sh FOLDER COMMITS"
commits=$2
home=$1/git-$commits
. "${0%/*}/workplace.inc"
# Nothing of the user's settings.
export HOME="$run" GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_TRACE GIT_PAGER

# Commits to 60 files of a few hundred lines; each changes lines of four of them.
history() {
    awk -v commits="$commits" 'function number(below) { state = (state * 69069 + 12345) % 2147483648; return int(state / 4096) % below }
    function line() { return sprintf("%s = %s(%d, %d) // %d", "name" number(400), "call" number(90), number(9999), number(99), number(1e5)) }
    BEGIN {
        state = 2026
        for (f = 0; f < 60; f++) { many[f] = 150 + number(500); for (i = 0; i < many[f]; i++) text[f, i] = line() }
        for (c = 1; c <= commits; c++) {
            printf "commit refs/heads/main\nmark :%d\ncommitter A <a@example.org> %d +0000\ndata <<end\nchange %d\nend\n", c, 1700000000 + c * 600, c
            if (c > 1) printf "from :%d\n", c - 1
            for (k = 0; k < (c == 1 ? 60 : 4); k++) {
                f = c == 1 ? k : number(60)
                for (j = 0; j < 6; j++) text[f, number(many[f])] = line()
                text[f, many[f]++] = line()
                printf "M 100644 inline folder%d/file%d.txt\ndata <<end of file\n", f % 7, f
                for (i = 0; i < many[f]; i++) print text[f, i]
                print "end of file"
            }
        }
    }'
}
if [ ! -d "$home" ]; then
    git init -q --bare "$run/new" && history | git --git-dir="$run/new" fast-import --quiet &&
        git --git-dir="$run/new" repack -adq && mv "$run/new" "$home" || say "the repository cannot be made"
fi

export GIT_DIR="$home"
measured() { LD_PRELOAD=$preload git -c core.preloadIndex=false -c pack.threads=1 -c core.pager=cat "$@"; }
measured pack-objects --revs --all --stdout --no-reuse-delta --no-reuse-object --threads=1 -q </dev/null >"$run/pack" ||
    say "pack-objects failed"
measured index-pack --strict --threads=1 -o "$run/index" "$run/pack" >/dev/null || say "index-pack failed"
measured log -p -M --stat --format='%H %s' main >"$run/log" || say "log failed"
shown=$(grep -c '^[0-9a-f]\{40\} change ' "$run/log")
[ "$shown" -eq "$commits" ] || say "log shows $shown commits, not $commits"
for file in folder0/file7.txt folder3/file10.txt folder5/file5.txt; do
    measured blame --line-porcelain main -- "$file" >"$run/blame" || say "blame failed"
done
measured grep -c -e 'name1[0-9]* = call[0-9]*7(' main >/dev/null || say "grep failed"
measured fsck --full --strict --no-progress >/dev/null 2>&1 || say "fsck failed"

#!/bin/sh
# postgres.sh FOLDER FILES TRANSACTIONS: a postgres server under the allocator, driven by pgbench, which has the C library's.
#
# The database is made in FOLDER at the first run, by the C library's malloc, and stays there for the next runs: nothing
# that they ask changes it. postgres refuses to run as root; root lends it another user.
set -u
say() { echo "postgres: $*" >&2; exit 1; }
for tool in postgres initdb pgbench pg_isready mktemp; do
    command -v "$tool" >/dev/null 2>&1 || say "$tool is not installed"
done
[ $# -eq 3 ] || say "usage: postgres.sh FOLDER FILES TRANSACTIONS"
home=$1/postgres script=$2/postgres.sql transactions=$3
# Only the server is measured with the allocator.
preload=${LD_PRELOAD-}
unset LD_PRELOAD

user=
if [ "$(id -u)" -eq 0 ]; then
    command -v setpriv >/dev/null 2>&1 || say "setpriv is not installed, and postgres does not run as root"
    user=nobody
    id postgres >/dev/null 2>&1 && user=postgres
fi
# `exec` in the background: the process that is signalled is the program.
as_user() {
    if [ -n "$user" ]; then
        exec setpriv --reuid="$user" --regid="$(id -g "$user")" --clear-groups "$@"
    fi
    exec "$@"
}

run=$(mktemp -d "$1/postgres.XXXXXX") || say "cannot make a folder in $1"
server= driver=
stop() {
    [ -n "$server" ] || return 0
    kill -INT "$server" 2>/dev/null
    wait "$server"
    stopped=$?
    server=
    return "$stopped"
}
end() {
    code=$?
    trap - EXIT INT TERM HUP
    [ -z "$driver" ] || kill "$driver" 2>/dev/null
    stop 2>/dev/null
    cd / && rm -rf "$run"
    exit "$code"
}
trap end EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
chmod 755 "$run" || exit
[ -z "$user" ] || chown "$user" "$run" || exit
# The server's user may not be able to look where the library is; here it can.
if [ -n "$user" ] && [ -f "$preload" ] && [ "${preload##*/}" != libc.so.6 ]; then
    cp "$preload" "$run/allocator.so" && chmod 755 "$run/allocator.so" || exit
    preload=$run/allocator.so
fi
cd "$run" || exit
export HOME="$run" PGHOST="$run" PGUSER=tester PGDATABASE=postgres LC_ALL=C
unset PGPORT PGOPTIONS PGDATA PGSERVICE

start() {
    : >"$run/said"
    (
        export LD_PRELOAD="$1"
        [ -n "$LD_PRELOAD" ] || unset LD_PRELOAD
        as_user postgres -D "$2" -k "$run" -c listen_addresses= -c fsync=off -c autovacuum=off -c jit=off \
            -c max_connections=20 -c shared_buffers=64MB -c work_mem=8MB -c max_parallel_workers_per_gather=0
    ) </dev/null >"$run/said" 2>&1 &
    server=$!
    tries=0
    # It says that it is ready a moment before it takes connections.
    until grep -q 'ready to accept connections' "$run/said" && pg_isready -q; do
        tries=$((tries + 1))
        kill -0 "$server" 2>/dev/null && [ "$tries" -lt 1500 ] || {
            tail -n 5 "$run/said" >&2
            say "the server does not start"
        }
        sleep 0.02
    done
}

if [ ! -d "$home" ]; then
    mkdir "$run/data" && { [ -z "$user" ] || chown "$user" "$run/data"; } || exit
    (as_user initdb --no-sync --auth=trust --username=tester --encoding=UTF8 --locale=C -D "$run/data") \
        >initdb 2>&1 || { tail -n 5 initdb >&2; say "initdb failed"; }
    start '' "$run/data"
    pgbench -i -q -s 2 >initialise 2>&1 || { tail -n 5 initialise >&2; say "pgbench -i failed"; }
    stop || say "the server did not stop well"
    mv "$run/data" "$home" || exit
fi

start "$preload" "$home"
# The dynamic linker only warns of a library that it cannot load.
if [ -n "$preload" ] && grep -q 'cannot be preloaded' said; then
    grep -m 1 'cannot be preloaded' said >&2
    say "the server does not have the allocator"
fi
# In the background: a signal to this script does not wait for its end.
pgbench -n -c 4 -j 1 -t "$transactions" --random-seed=1 -b select-only@3 -f "$script@1" >figures 2>&1 &
driver=$!
wait "$driver" || { tail -n 5 figures said >&2; say "pgbench failed"; }
driver=
all=$((transactions * 4))
grep -q "actually processed: $all/$all" figures || { cat figures >&2; say "not all transactions were done"; }
sed -n 's/^tps = \([0-9.]*\).*/value transactions_per_second \1 \/s/p
s/^latency average = \([0-9.]*\) ms/value latency_ms \1 ms/p' figures | sort -u -k2,2
stop || { tail -n 5 said >&2; say "the server did not stop well"; }

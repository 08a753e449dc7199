#!/bin/sh
# redis.sh FOLDER REQUESTS: redis-server under the allocator, driven by redis-benchmark, which has its own.
#
# The driver's keys come from the clock, so that runs differ slightly; what it does is the same. FOLDER exists; all that is
# made there is gone at the end, however it comes.
set -u
say() { echo "redis: $*" >&2; exit 1; }
for tool in redis-server redis-cli redis-benchmark mktemp; do
    command -v "$tool" >/dev/null 2>&1 || say "$tool is not installed"
done
[ $# -eq 2 ] || say "usage: redis.sh FOLDER REQUESTS"
requests=$2
# Only the server is measured with the allocator.
preload=${LD_PRELOAD-}
unset LD_PRELOAD

folder=$(mktemp -d "$1/redis.XXXXXX") || say "cannot make a folder in $1"
server= driver=
end() {
    code=$?
    trap - EXIT INT TERM HUP
    for process in $driver $server; do
        kill -KILL "$process" 2>/dev/null
        wait "$process" 2>/dev/null
    done
    cd / && rm -rf "$folder"
    exit "$code"
}
trap end EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
# A path of a socket may have no more than a hundred characters; from here it is short.
cd "$folder" || say "cannot enter $folder"

LD_PRELOAD=$preload redis-server --port 0 --unixsocket socket --save '' --appendonly no --daemonize no \
    --loglevel warning --dir "$folder" --logfile log </dev/null >said 2>&1 &
server=$!
ask() { redis-cli -s socket "$@"; }
tries=0
until [ -S socket ] && [ "$(ask PING 2>/dev/null)" = PONG ]; do
    tries=$((tries + 1))
    kill -0 "$server" 2>/dev/null && [ "$tries" -lt 600 ] || {
        cat said log >&2 2>/dev/null
        say "the server does not start"
    }
    sleep 0.02
done
# jemalloc inside the program has names of its own, which no library can take over.
if ask INFO memory | grep -q '^mem_allocator:jemalloc' && ! grep -q libjemalloc "/proc/$server/maps"; then
    say "this redis-server has jemalloc built in: no other allocator can be put under it"
fi

# In the background: a signal to this script does not wait for its end.
redis-benchmark -s socket -q -n "$requests" -r 100000 -d 64 -P 16 -t set,get,lpush,lrange_100,sadd,hset,zadd \
    >figures 2>&1 &
driver=$!
wait "$driver" || { tail -n 5 figures said log >&2; say "redis-benchmark failed"; }
driver=
# All seven commands, and one that fills the list for lrange.
done=$(ask INFO stats | tr -d '\r' | sed -n 's/^total_commands_processed://p')
[ "${done:-0}" -ge $((requests * 8)) ] || say "${done:-0} commands were served, not $((requests * 8))"
tr '\r' '\n' <figures | sed -n '/needed/d
s/^\([A-Z]*\).*: \([0-9.]*\) requests per second.*/value \1_per_second \2 \/s/p'
ask SHUTDOWN NOSAVE >/dev/null 2>&1
wait "$server"
code=$?
server=
[ "$code" -eq 0 ] || { cat said log >&2; say "the server ended with $code"; }

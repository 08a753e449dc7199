//! redis-server, driven by redis-benchmark over a unix socket; what it saves while it is written to can be read back.

use core::time::Duration;
use heapwright_tests::{Malloc, Program, Scratch, Server, need};
use std::path::{Path, PathBuf};

struct Redis {
    server: PathBuf,
    cli: PathBuf,
    benchmark: PathBuf,
}

impl Redis {
    fn installed() -> Option<Self> {
        Some(Self {
            server: need("redis-server")?,
            cli: need("redis-cli")?,
            benchmark: need("redis-benchmark")?,
        })
    }

    fn start(&self, malloc: Malloc, scratch: &Scratch) -> Server {
        self.start_with(malloc, scratch, "no")
    }

    /// Starts it on what its folder holds: an append-only file if it is to keep one, else a dump.
    fn start_with(&self, malloc: Malloc, scratch: &Scratch, appendonly: &str) -> Server {
        let socket = scratch.join("socket");
        let program = Program::new(&self.server)
            .args(["--port", "0", "--save", "", "--appendonly", appendonly, "--daemonize", "no"])
            .args(["--hash-max-listpack-entries", "64", "--activedefrag", "no"])
            .args(["--enable-debug-command", "yes", "--appendfsync", "no"])
            .args(["--aof-use-rdb-preamble", "no"])
            // Else it begins one by itself, while the test asks for one.
            .args(["--auto-aof-rewrite-percentage", "0"])
            .arg("--unixsocket")
            .arg(&socket)
            .arg("--dir")
            .arg(scratch.path());
        Server::start(program, malloc, &scratch.join("log"), || {
            socket.exists() && self.ask(&socket, &["PING"]) == "PONG\n"
        })
    }

    fn ask(&self, socket: &Path, words: &[&str]) -> String {
        let run = Program::new(&self.cli).arg("-s").arg(socket).args(words).run(Malloc::Plain);
        run.stdout
    }

    /// Sends many commands, one a line, and returns the answers.
    fn tell(&self, socket: &Path, commands: &str) -> String {
        let cli = Program::new(&self.cli).arg("-s").arg(socket).input(commands);
        cli.run(Malloc::Plain).expect_success("redis-cli").stdout
    }
}

/// Commands whose answers depend on everything kept before.
fn conversation() -> String {
    let mut lines = Vec::new();
    for i in 0..3000_u32 {
        let key = i.wrapping_mul(2_654_435_761) % 701;
        lines.push(format!("SET key:{key} {}", "v".repeat(1 + (i as usize * 37) % 900)));
        lines.push(format!("HSET hash:{} field:{i} {}", key % 13, "h".repeat(i as usize % 200)));
        lines.push(format!("RPUSH list:{} {i}-{key}", key % 7));
        lines.push(format!("ZADD sorted:{} {key} member:{i}", key % 5));
        if i % 3 == 0 {
            lines.push(format!("APPEND key:{key} {}", "a".repeat(i as usize % 50)));
            lines.push(format!("DEL key:{}", (key + 350) % 701));
        }
    }
    lines.push("DBSIZE".to_owned());
    for i in 0..13 {
        lines.push(format!("HLEN hash:{i}"));
        lines.push(format!("LRANGE list:{} -3 -1", i % 7));
        lines.push(format!("ZRANGE sorted:{} 0 4 WITHSCORES", i % 5));
        lines.push(format!("STRLEN key:{}", i * 31));
    }
    lines.push("SORT list:3 ALPHA LIMIT 0 5 DESC".to_owned());
    lines.push(
        "EVAL \"local t={} for i=1,9000 do t[i]=i..'x' end return #table.concat(t)\" 0".to_owned(),
    );
    lines.push("BGSAVE".to_owned());
    lines.join("\n") + "\n"
}

#[test]
fn served_measured_and_shut_down() {
    let Some(redis) = Redis::installed() else { return };
    let (ours, plain) = (Scratch::new(), Scratch::new());
    let answers = [(Malloc::Ours, &ours), (Malloc::Plain, &plain)].map(|(malloc, scratch)| {
        let socket = scratch.join("socket");
        let server = redis.start(malloc, scratch);
        let answers = redis.tell(&socket, &conversation());
        wait_for_the_child(&redis, &socket);
        if malloc == Malloc::Ours {
            benchmark(&redis, &socket);
        }
        let _ = redis.ask(&socket, &["SHUTDOWN", "NOSAVE"]);
        let said = server.said();
        let status = server.stop(None);
        assert!(status.success(), "redis-server ended with {status}:\n{said}");
        answers
    });
    assert!(
        answers[0] == answers[1],
        "the answers differ:\n{}\n=== plain:\n{}",
        answers[0],
        answers[1]
    );
}

/// Several commands, fifty connections, pipelines; then the server says how it feels.
fn benchmark(redis: &Redis, socket: &Path) {
    let run = Program::new(&redis.benchmark)
        .arg("-s")
        .arg(socket)
        .args(["-n", "50000", "-q", "-r", "5000", "-d", "120", "-P", "8"])
        .args([
            "-t",
            "set,get,incr,lpush,rpush,lpop,rpop,sadd,hset,spop,zadd,zpopmin,lrange_100,mset",
        ])
        .limit(Duration::from_secs(180))
        .run(Malloc::Ours)
        .expect_success("redis-benchmark");
    for command in ["SET:", "GET:", "ZADD:", "MSET"] {
        assert!(run.stdout.contains(command), "no figure for {command}: {run}");
    }
    let info = redis.ask(socket, &["INFO"]);
    let field = |name: &str| {
        let value = info.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        value.unwrap_or_else(|| panic!("INFO has no {name}:\n{info}")).trim().to_owned()
    };
    assert_eq!(field("rdb_last_bgsave_status"), "ok");
    assert!(field("total_commands_processed").parse::<u64>().is_ok_and(|n| n > 700_000), "{info}");
    assert!(field("used_memory").parse::<u64>().is_ok_and(|bytes| bytes > 1 << 20), "{info}");
    assert_eq!(redis.ask(socket, &["FLUSHALL"]), "OK\n");
}

/// `BGSAVE` and `BGREWRITEAOF` fork: the child writes the whole table from its copy of the heap.
fn wait_for_the_child(redis: &Redis, socket: &Path) {
    for _ in 0..3000 {
        let info = redis.ask(socket, &["INFO", "persistence"]);
        let busy =
            ["rdb_bgsave_in_progress:1", "aof_rewrite_in_progress:1", "aof_rewrite_scheduled:1"];
        if !busy.iter().any(|word| info.contains(word)) {
            assert!(info.contains("rdb_last_bgsave_status:ok"), "{info}");
            assert!(info.contains("aof_last_bgrewrite_status:ok"), "{info}");
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("the child of BGSAVE or BGREWRITEAOF does not end");
}

/// `BGSAVE` and `BGREWRITEAOF` fork while clients write; the dump and the append-only file that come of it hold the
/// same keys, for our server and for the plain one.
#[test]
fn saved_under_writes_and_read_back() {
    let Some(redis) = Redis::installed() else { return };
    let scratch = Scratch::new();
    let socket = scratch.join("socket");
    let ask = |words: &[&str]| redis.ask(&socket, words);
    let digest = || (ask(&["DEBUG", "DIGEST"]), ask(&["DBSIZE"]));
    let server = redis.start_with(Malloc::Ours, &scratch, "yes");
    std::thread::scope(|scope| {
        let writers = [("1", "60"), ("2", "700"), ("3", "3000")].map(|(pipeline, size)| {
            scope.spawn(|| write(&redis, &socket, pipeline, size));
            scope.spawn(|| redis.tell(&socket, &conversation().replace("BGSAVE\n", "")))
        });
        let mut saves = 0;
        while saves < 3 || (saves < 12 && writers.iter().any(|writer| !writer.is_finished())) {
            for command in ["BGSAVE", "BGREWRITEAOF"] {
                let answer = ask(&[command]);
                assert!(answer.starts_with("Background"), "{command}: {answer}");
                wait_for_the_child(&redis, &socket);
            }
            saves += 1;
        }
    });
    wait_for_the_child(&redis, &socket);
    let kept = digest();
    assert_eq!(ask(&["SAVE"]), "OK\n");
    assert_eq!(ask(&["DEBUG", "RELOAD"]), "OK\n");
    assert!(digest() == kept, "read back from the dump by the server itself");
    let end = |server: Server| {
        let _ = ask(&["SHUTDOWN", "NOSAVE"]);
        let said = server.said();
        let status = server.stop(None);
        assert!(status.success(), "redis-server ended with {status}:\n{said}");
        assert!(
            !said.contains("crashed by signal") && !said.contains("terminated by signal"),
            "{said}"
        );
    };
    end(server);
    for (malloc, appendonly) in
        [(Malloc::Ours, "yes"), (Malloc::Plain, "yes"), (Malloc::Ours, "no"), (Malloc::Plain, "no")]
    {
        let server = redis.start_with(malloc, &scratch, appendonly);
        assert!(digest() == kept, "other keys than before: {malloc:?}, append-only {appendonly}");
        end(server);
    }
}

/// Random writes from ten connections, with values of this size.
fn write(redis: &Redis, socket: &Path, pipeline: &str, size: &str) {
    let _ = Program::new(&redis.benchmark)
        .arg("-s")
        .arg(socket)
        .args(["-n", "4000", "-c", "10", "-q", "-r", "2000", "-P", pipeline, "-d", size])
        .args(["-t", "set,incr,lpush,sadd,hset,zadd,spop,lpop,mset"])
        .run(Malloc::Ours)
        .expect_success("redis-benchmark");
}

//! postgres under pgbench. It refuses to run as root, so root lends it another user.

use core::time::Duration;
use heapwright_tests::{Malloc, Program, Scratch, Server, drop_in, need};
use rustix::process::Signal;
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};

/// Where one server lives, and as whom.
struct Place {
    scratch: Scratch,
    library: PathBuf,
    user: Option<(u32, u32)>,
}

impl Place {
    fn new() -> Self {
        let scratch = Scratch::new();
        // The server's user may not be able to look into the tree; here everybody can.
        let library = scratch
            .file("libheapwright.so", std::fs::read(drop_in()).expect("the library was built"));
        let user = rustix::process::geteuid()
            .is_root()
            .then(|| user_of("postgres").unwrap_or((65534, 65534)));
        for folder in ["data", "run"] {
            std::fs::create_dir(scratch.join(folder)).expect("a folder in the scratch folder");
            if let Some((uid, gid)) = user {
                chown(scratch.join(folder), Some(uid), Some(gid)).expect("root gives folders away");
            }
        }
        Self { scratch, library, user }
    }

    fn program(&self, path: &Path) -> Program {
        let program = Program::new(path)
            .library(&self.library)
            .current_dir(self.scratch.join("run"))
            .env("HOME", self.scratch.join("run"))
            .env("PGHOST", self.scratch.join("run"))
            .env("PGUSER", "tester")
            .env("PGDATABASE", "postgres");
        match self.user {
            Some((uid, gid)) => program.user(uid, gid),
            None => program,
        }
    }
}

/// From `/etc/passwd`: `name:x:uid:gid:…`.
fn user_of(name: &str) -> Option<(u32, u32)> {
    let users = std::fs::read_to_string("/etc/passwd").ok()?;
    let fields: Vec<&str> =
        users.lines().map(|line| line.split(':').collect()).find(|f: &Vec<_>| f[0] == name)?;
    Some((fields.get(2)?.parse().ok()?, fields.get(3)?.parse().ok()?))
}

#[test]
fn initdb_serve_pgbench_stop() {
    let tools = ["initdb", "postgres", "pgbench", "psql"].map(need);
    let [Some(initdb), Some(postgres), Some(pgbench), Some(psql)] = tools else { return };
    let place = Place::new();
    let data = place.scratch.join("data");
    let _ = place
        .program(&initdb)
        .args([
            "--no-sync",
            "--auth=trust",
            "--username=tester",
            "--encoding=UTF8",
            "--locale=C",
            "-D",
        ])
        .arg(&data)
        .undisturbed()
        .run(Malloc::Ours)
        .expect_success("initdb");

    let server = place
        .program(&postgres)
        .args(["-c", "listen_addresses=", "-c", "fsync=off", "-c", "max_connections=20", "-D"])
        .arg(&data)
        .arg("-k")
        .arg(place.scratch.join("run"));
    let ask = |sql: &str| place.program(&psql).args(["-XAtqc", sql]).run(Malloc::Plain);
    let ready = || ask("select 1").status.success();
    let server = Server::start(server, Malloc::Ours, &place.scratch.join("log"), ready);

    let bench = |arguments: &str| {
        let program =
            place.program(&pgbench).args(arguments.split(' ')).limit(Duration::from_secs(180));
        let run = program.undisturbed().run(Malloc::Ours);
        assert!(run.status.success(), "pgbench {arguments}: {run}\nthe server:\n{}", server.said());
        run
    };
    let _ = bench("-i -q -s 2");
    let run = bench("-c 4 -j 2 -t 300");
    assert!(run.stdout.contains("number of transactions actually processed: 1200/1200"), "{run}");

    let books = "select count(*), (select sum(abalance) from pgbench_accounts) = sum(delta) from pgbench_history";
    assert_eq!(ask(books).stdout, "1200|t\n");
    let heavy = "select count(*), sum(length(t)) from (select string_agg(repeat(md5(i::text), 20), ',' order by i) t \
                 from generate_series(1, 40000) i group by i % 97) s";
    assert_eq!(ask(heavy).stdout, "97|25639903\n");

    let said = server.said();
    let status = server.stop(Some(Signal::INT));
    assert!(status.success(), "postgres ended with {status}:\n{said}");
}

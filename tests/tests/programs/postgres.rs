//! postgres under pgbench, and on the basics of SQL. It refuses to run as root, so root lends it another user.

use core::time::Duration;
use heapwright_tests::{Finished, Malloc, Program, Scratch, Server, drop_in, need};
use rustix::process::Signal;
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::process::Command;

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

struct Postgres {
    initdb: PathBuf,
    postgres: PathBuf,
    pgbench: PathBuf,
    psql: PathBuf,
}

impl Postgres {
    fn installed() -> Option<Self> {
        Some(Self {
            initdb: need("initdb")?,
            postgres: need("postgres")?,
            pgbench: need("pgbench")?,
            psql: need("psql")?,
        })
    }

    /// A place with a new database, made on ours.
    fn place(&self) -> Place {
        let place = Place::new();
        let _ = place
            .program(&self.initdb)
            .args(["--no-sync", "--auth=trust", "--username=tester", "--encoding=UTF8"])
            .args(["--locale=C", "-D"])
            .arg(place.scratch.join("data"))
            .undisturbed()
            .run(Malloc::Ours)
            .expect_success("initdb");
        place
    }

    fn start(&self, place: &Place, malloc: Malloc) -> Server {
        let server = place
            .program(&self.postgres)
            .args(["-c", "listen_addresses=", "-c", "fsync=off", "-c", "max_connections=20", "-D"])
            .arg(place.scratch.join("data"))
            .arg("-k")
            .arg(place.scratch.join("run"));
        let ready = || self.ask(place, "select 1").status.success();
        Server::start(server, malloc, &place.scratch.join("log"), ready)
    }

    fn ask(&self, place: &Place, sql: &str) -> Finished {
        place.program(&self.psql).args(["-XAtqc", sql]).run(Malloc::Plain)
    }

    fn bench(&self, place: &Place, arguments: &str) -> Finished {
        let limit = Duration::from_secs(180);
        let program = place.program(&self.pgbench).args(arguments.split(' ')).limit(limit);
        let run = program.undisturbed().run(Malloc::Ours);
        let log = std::fs::read_to_string(place.scratch.join("log")).unwrap_or_default();
        assert!(run.status.success(), "pgbench {arguments}: {run}\nthe server:\n{log}");
        run
    }
}

/// Ends the server, of whose processes none may have crashed.
fn stop(server: Server) {
    let said = server.said();
    let status = server.stop(Some(Signal::INT));
    assert!(status.success(), "postgres ended with {status}:\n{said}");
    assert!(!said.contains("terminated by signal"), "{said}");
}

#[test]
fn initdb_serve_pgbench_stop() {
    let Some(postgres) = Postgres::installed() else { return };
    let place = postgres.place();
    let server = postgres.start(&place, Malloc::Ours);
    let bench = |arguments| postgres.bench(&place, arguments);
    let _ = bench("-i -q -s 2");
    let run = bench("-c 4 -j 2 -t 300");
    assert!(run.stdout.contains("number of transactions actually processed: 1200/1200"), "{run}");

    let ask = |sql| postgres.ask(&place, sql).stdout;
    let books = "select count(*), (select sum(abalance) from pgbench_accounts) = sum(delta) from pgbench_history";
    assert_eq!(ask(books), "1200|t\n");
    let heavy = "select count(*), sum(length(t)) from (select string_agg(repeat(md5(i::text), 20), ',' order by i) t \
                 from generate_series(1, 40000) i group by i % 97) s";
    assert_eq!(ask(heavy), "97|25639903\n");

    // A second database is filled while the first is at work.
    assert_eq!(ask("create database second"), "");
    std::thread::scope(|scope| {
        let filled = scope.spawn(|| bench("-i -q -s 3 --foreign-keys --partitions=3 second"));
        let _ = bench("-n -c 4 -j 2 -t 200 -M prepared postgres");
        let _ = bench("-n -c 3 -j 1 -t 60 -C postgres");
        let _ = filled.join().expect("the second pgbench succeeds");
    });
    let run = bench("-c 4 -j 2 -t 100 -M extended second");
    assert!(run.stdout.contains("number of transactions actually processed: 400/400"), "{run}");
    assert_eq!(ask(books), "2180|t\n");
    stop(server);
}

#[test]
fn basics_of_sql() {
    let Some(postgres) = Postgres::installed() else { return };
    let place = postgres.place();
    let copy = Place::new();
    let [from, to] = [&place, &copy].map(|place| place.scratch.join("data"));
    let copied = Command::new("cp").arg("-aT").args([from, to]).status();
    assert!(copied.is_ok_and(|status| status.success()), "the database can be copied");
    let answers = [(Malloc::Ours, place), (Malloc::Plain, copy)].map(|(malloc, place)| {
        let server = postgres.start(&place, malloc);
        let script = include_str!("../../data/basics.sql");
        let run = place.program(&postgres.psql).arg("-X").undisturbed().input(script).run(malloc);
        assert!(run.status.success(), "{run}\nthe server:\n{}", server.said());
        stop(server);
        run.stdout
    });
    assert!(answers[0].ends_with("\ndone\n"), "{}", answers[0]);
    assert!(answers[0].contains("Parallel Seq Scan"), "{}", answers[0]);
    assert!(answers[0] == answers[1], "{}\n=== plain:\n{}", answers[0], answers[1]);
}

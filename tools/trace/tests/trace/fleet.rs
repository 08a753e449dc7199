//! The queries of docs/traces.md over a folder of traces, in DuckDB and in Apache Spark: the same answers.
//!
//! Needs Python with `duckdb` and `pyspark`, and Java: `cargo xtask ci all` runs it.

use core::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

use symbols::Symbol;
use trace::{Form, How, Module, Op, Packer, Step};

/// Traces of two programs, one of them in two releases: small blocks that stay among others that go.
fn fleet(folder: &Path) {
    for (n, (exe, label)) in
        [("/bin/a", "1.0"), ("/bin/a", "1.1"), ("/bin/b", "7")].into_iter().enumerate()
    {
        let step = 16 << n;
        let mut about = trace::testing::about();
        about.exe = exe.to_owned();
        about.modules = vec![Module {
            start: 0x5000,
            end: 0x9000,
            offset: 0x1000,
            base: None,
            path: exe.to_owned(),
            build_id: "ab12".to_owned(),
        }];
        let fill = |packer: &mut Packer| {
            let frames = [packer.frame(0, 0x5010).unwrap(), packer.frame(0, 0x6020).unwrap()];
            let insert = Symbol { function: "insert", file: "/src/cache.c", line: 88 };
            packer.name(0x5010, exe, [insert]);
            for block in 0..2000u64 {
                let (size, frame) =
                    if block % 25 == 0 { (48, frames[0]) } else { (step + block % 200, frames[1]) };
                let address = 0x10_0000 + block * 512;
                let op = Op::Allocate { block, how: How::Malloc, size, align: 0, address, frame };
                packer.push(&Step { time: block * 1000, thread: 0, op }).unwrap();
            }
            for block in (0..2000u64).filter(|block| block % 25 != 0) {
                let op = Op::Free { block, touched: None };
                packer.push(&Step { time: 2_000_000 + block * 1000, thread: 0, op }).unwrap();
            }
        };
        let path = folder.join(format!("trace-{n}.trace"));
        let mut packer = Packer::create(&path, &about).unwrap();
        fill(&mut packer);
        packer.finish().unwrap();
        let trace = trace::Trace::open(&path).unwrap();
        trace::export(&trace, Form::Parquet, &folder.join("fleet"), label, false).unwrap();
    }
    let mut runs = "workload,allocator,pass,wall_ns,peak_rss_bytes\n".to_owned();
    for (service, allocator, time, peak) in [
        ("a", "glibc", 1000, 900),
        ("a", "jemalloc", 800, 1000),
        ("a", "slow", 1100, 1100),
        ("b", "glibc", 50, 50),
        ("b", "mimalloc", 40, 40),
    ] {
        for round in 0..3 {
            let (time, peak) = ((time + round) * 100_000, (peak + round) * 100_000);
            let _ = writeln!(runs, "{service},{allocator},time,{time},{peak}");
            let _ = writeln!(runs, "{service},{allocator},memory,{},{}", time * 9, peak * 9);
        }
    }
    fs::create_dir_all(folder.join("fleet/runs")).unwrap();
    fs::write(folder.join("fleet/runs/all.csv"), runs).unwrap();
}

/// The blocks of the page that are in this language.
fn code(page: &str, language: &str) -> Vec<String> {
    let begin = format!("```{language}\n");
    let parts = page.split(&begin).skip(1);
    parts.filter_map(|part| Some(part.split_once("```")?.0.to_owned())).collect()
}

#[test]
#[ignore = "needs duckdb, pyspark and Java"]
fn both_engines_give_the_same_answers() {
    let folder = tempfile::tempdir().unwrap();
    fleet(folder.path());
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/traces.md");
    let page = fs::read_to_string(page).unwrap();
    let (setups, queries) = (code(&page, "python"), code(&page, "sql"));
    assert_eq!((setups.len(), queries.len()), (2, 3));
    for (n, query) in queries.iter().enumerate() {
        fs::write(folder.path().join(format!("query{n}.sql")), query).unwrap();
    }
    // What the page has before the query, and behind it the rows of every query as JSON.
    let script = |setup: &str, rows: &str| {
        let setup: String = setup
            .lines()
            .filter(|line| !line.contains("query)"))
            .map(|line| format!("{line}\n"))
            .collect();
        format!(
            "{setup}\nimport json\nfor n in range({}):\n    query = open(f'query{{n}}.sql').read()\n    \
             print('answer', json.dumps([[str(v) if isinstance(v, str) or v is None else round(float(v), 3) for v in row] for row in {rows}]))\n",
            queries.len()
        )
    };
    let python = env::var_os("HEAPWRIGHT_PYTHON").unwrap_or_else(|| "python3".into());
    let answers = |script: String| -> Vec<serde_json::Value> {
        let ran = Command::new(&python)
            .arg("-c")
            .arg(script)
            .current_dir(folder.path())
            .output()
            .unwrap();
        let (out, err) =
            (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
        assert!(ran.status.success(), "{err}");
        let answers = out.lines().filter_map(|line| line.strip_prefix("answer "));
        answers.map(|answer| serde_json::from_str(answer).unwrap()).collect()
    };
    let duckdb = answers(script(&setups[0], "duckdb.sql(query).fetchall()"));
    let spark = answers(script(&setups[1], "spark.sql(query).collect()"));
    assert_eq!(duckdb, spark);
    // Each of three traces has 80 blocks that stay, one on every third page or so.
    let pins = &duckdb[0];
    assert_eq!(
        (&pins[0][0], &pins[0][1], &pins[0][2]),
        (&"insert (cache.c:88)".into(), &3.0.into(), &240.0.into()),
        "{pins}"
    );
    let allocators: Vec<&serde_json::Value> =
        duckdb[1].as_array().unwrap().iter().map(|row| &row[1]).collect();
    assert_eq!(allocators, ["jemalloc", "glibc", "mimalloc"], "{}", duckdb[1]);
    let drift = duckdb[2].as_array().unwrap();
    assert!(
        !drift.is_empty() && drift.iter().all(|row| row[0] == "/bin/a" && row[1] == "1.1"),
        "{drift:?}"
    );
}

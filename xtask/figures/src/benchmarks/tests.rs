use bench::definition::Group;
use bench::result::{Cell, Compared, Overall, Work};
use bench::session::Role;
use bench::stats::Ratio;
use bench::testing::{self, entry};

use super::*;

/// Two workloads on three allocators: heapwright has the least time, jemalloc the least memory.
fn report() -> Report {
    let entries = vec![
        entry("heapwright", Role::Contender),
        entry("jemalloc", Role::Contender),
        entry("glibc", Role::Baseline),
        entry("glibc again", Role::Control),
    ];
    let ratio =
        |ratio: f64| Ratio { estimate: ratio, low: ratio - 0.01, high: ratio + 0.01, pairs: 10 };
    let compared = |ratio| Some(Compared { median: 1.0, ratio, same: false });
    let cell = |time: f64, memory: f64| Cell {
        time: compared(Some(ratio(time))),
        peak_rss: compared(Some(ratio(memory))),
        ..Cell::default()
    };
    let glibc = Cell { time: compared(None), peak_rss: compared(None), ..Cell::default() };
    let cells = vec![cell(0.5, 0.9), cell(0.7, 0.6), glibc, cell(1.0, 1.0)];
    let means = |time: f64, memory: f64| Overall {
        workloads: 2,
        time: Some(ratio(time)),
        peak_rss: Some(ratio(memory)),
        ..Overall::default()
    };
    let real = Work { group: Group::Real, ..testing::work("python3", 10, cells.clone()) };
    let works = vec![testing::work("larson", 10, cells), real];
    let overall = vec![means(0.5, 0.9), means(0.7, 0.6), means(1.0, 1.0), means(1.0, 1.0)];
    Report { overall, ..testing::report(entries, works, Vec::new()) }
}

/// A tree with empty sections and a result of each of `years`.
fn tree(years: &[&str]) -> tempfile::TempDir {
    let top = tempfile::tempdir().unwrap();
    fs::create_dir_all(top.path().join("docs/pictures")).unwrap();
    fs::create_dir_all(top.path().join("bench/record/machine")).unwrap();
    let [begin, end] = crate::figures::marks("benchmarks");
    for page in ["README.md", "docs/performance.md"] {
        fs::write(top.path().join(page), format!("before\n{begin}\n{end}\nafter\n")).unwrap();
    }
    for year in years {
        let folder = top.path().join("bench/record/machine").join(year);
        fs::create_dir_all(&folder).unwrap();
        let report = Report { started: format!("{year}-03-01T12:10:05Z"), ..report() };
        fs::write(folder.join("result.json"), report.to_json().unwrap()).unwrap();
        fs::write(folder.join("commit"), "0123456789abcdef\n").unwrap();
    }
    top
}

/// The ratios of time and memory of every workload.
fn ratios(report: &Report) -> String {
    let works: Vec<WorkloadIndex> = report.workload_indices().collect();
    [Metric::Time, Metric::Memory]
        .map(|m| tables::ratios(report, &works, "", m).to_string())
        .concat()
}

fn read(top: &tempfile::TempDir, path: &str) -> String {
    fs::read_to_string(top.path().join(path)).unwrap()
}

#[test]
fn the_pages_say_what_the_newest_record_says() {
    act(&root(), Ask::Check).unwrap();
}

/// What a newcomer reads in a minute, on a screen of usual width.
#[test]
fn the_front_page_is_short() {
    let text = fs::read_to_string(root().join("README.md")).unwrap();
    assert!(text.lines().count() <= 110, "{} lines", text.lines().count());
    let is_table = |line: &&str| line.starts_with(['|', '!']);
    for line in text.lines().filter(|line| !is_table(line)) {
        assert!(line.chars().count() <= 120, "{line}");
    }
}

#[test]
fn the_newest_result_is_written_once() {
    let top = tree(&["2025", "2026", "2024"]);
    assert!(act(top.path(), Ask::Check).unwrap_err().contains("--write"));
    act(top.path(), Ask::Write).unwrap();
    act(top.path(), Ask::Check).unwrap();
    let page = read(&top, "docs/performance.md");
    assert!(page.starts_with("before\n") && page.ends_with("after\n"));
    assert!(page.contains("`bench/record/machine/2026/result.json`"), "{page}");
    assert!(page.contains("`0123456789ab`"), "{page}");
    assert!(read(&top, "README.md").contains("Over the 1 real programs heapwright takes 0.50"));
    assert!(read(&top, "docs/pictures/benchmarks.svg").contains("All 2 workloads"));
    assert!(read(&top, "bench/record/machine/2026/tables.md").contains("## Time, by workload"));
}

/// The first workload is the real program, of the year's many rounds.
fn many_rounds(year: &str) -> String {
    let report = means::real(&report());
    let mut works = report.workloads.clone();
    works[0].rounds = 48;
    let report = Report { started: format!("{year}-05-01T00:00:00Z"), workloads: works, ..report };
    report.to_json().unwrap()
}

#[test]
fn the_real_programs_are_of_the_run_with_many_rounds_unless_it_is_older() {
    let top = tree(&["2025", "2026"]);
    let folder = top.path().join("bench/record/machine");
    for (year, is_used) in [("2025", false), ("2026", true)] {
        fs::write(folder.join(year).join("real.json"), many_rounds(year)).unwrap();
        act(top.path(), Ask::Write).unwrap();
        let words = |path| read(&top, path).split_whitespace().collect::<Vec<_>>().join(" ");
        let page = words("docs/performance.md");
        assert_eq!(page.contains("48 runs of each program and malloc"), is_used, "{page}");
        assert_eq!(page.contains("machine/2026/real.json"), is_used, "{page}");
        let apart = "The real programs are of a run of their own: 2026-05-01, 48 rounds";
        assert_eq!(words("README.md").contains(apart), is_used, "{page}");
    }
}

#[test]
fn a_tree_without_a_record_says_so() {
    let error = act(tree(&[]).path(), Ask::Write).unwrap_err();
    assert!(error.contains("no result.json"), "{error}");
}

#[test]
fn the_page_of_the_newest_record_is_made_again() {
    let top = tree(&["2025", "2026"]);
    let folder = top.path().join("new/page");
    let said = page(top.path(), &folder).unwrap();
    assert!(said.contains("report.html") && said.contains("machine/2026"), "{said}");
    assert!(fs::read_to_string(folder.join("report.html")).unwrap().contains("larson"));
    assert!(folder.join("runs.csv").exists());
    assert!(page(tree(&[]).path(), &folder).unwrap_err().contains("no result.json"));
}

/// A repository in which the record is as old as the allocator, and then is not.
#[test]
fn a_release_refuses_a_record_older_than_the_allocator() {
    let top = tree(&["2026"]);
    let git = |arguments: &[&str]| {
        let who = ["-c", "user.name=a", "-c", "user.email=a@b", "-C"];
        let mut git = std::process::Command::new("git");
        let git = git.args(who).arg(top.path()).args(arguments);
        let at = "2026-01-01T00:00:00Z";
        let said = git.env("GIT_COMMITTER_DATE", at).env("GIT_AUTHOR_DATE", at).output().unwrap();
        assert!(said.status.success(), "{said:?}");
    };
    fs::remove_file(top.path().join("bench/record/machine/2026/commit")).unwrap();
    fs::create_dir_all(top.path().join("crates")).unwrap();
    fs::write(top.path().join("crates/a.rs"), "").unwrap();
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-q", "-m", "measured"]);
    act(top.path(), Ask::Write).unwrap();
    act(top.path(), Ask::Release).unwrap();
    fs::write(top.path().join("crates/a.rs"), "// faster").unwrap();
    git(&["commit", "-q", "-a", "-m", "faster"]);
    let error = act(top.path(), Ask::Release).unwrap_err();
    assert!(error.starts_with("1 commits have touched the allocator since"), "{error}");
    let said = act(top.path(), Ask::Check).unwrap();
    assert!(said.contains("1 commits have touched"), "{said}");
}

#[test]
fn the_best_is_bold_and_losses_are_named() {
    let report = report();
    let text = ratios(&report);
    assert!(text.contains("**0.500 ±0.010**") && text.contains("**0.600 ±0.010**"), "{text}");
    let loss = losses::table(&report).unwrap();
    let row = |line: &str| line.split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let python3 = loss.lines().find(|line| line.contains("python3")).unwrap();
    assert_eq!(row(python3)[1..4], ["python3", "", "1.50 × jemalloc"]);
    let first = loss.lines().next().unwrap();
    assert_eq!(
        first,
        "In 2 of 2 workloads some allocator is shown to be better: in time in 0, in peak memory in 2."
    );
}

#[test]
fn all_within_noise_of_the_best_are_bold_and_no_loss() {
    let mut report = report();
    for work in &mut report.workloads {
        let ratio = Ratio { estimate: 0.89, low: 0.58, high: 1.2, pairs: 10 };
        work.cells[0].peak_rss.as_mut().unwrap().ratio = Some(ratio);
    }
    let text = ratios(&report);
    assert!(text.contains("**0.890 ±0.310**") && text.contains("**0.600 ±0.010**"), "{text}");
    let losses = losses::table(&report).unwrap();
    assert!(
        losses.starts_with("In no workload") && losses.contains("peak memory in 2."),
        "{losses}"
    );
}

#[test]
fn noise_is_no_level_and_no_victory() {
    let mut report = report();
    for work in &mut report.workloads {
        for cell in &mut work.cells {
            if let Some(ratio) = cell.time.as_mut().and_then(|time| time.ratio.as_mut()) {
                (ratio.low, ratio.high) = (0.6 * ratio.estimate, 1.6 * ratio.estimate);
            }
        }
    }
    let said = losses::table(&report).unwrap();
    assert!(
        said.contains("in time in 0,") && said.contains("cannot be told of time in 2,"),
        "{said}"
    );
}

#[test]
fn five_rounds_claim_nothing_on_the_front_page() {
    let mut report = report();
    for overall in &mut report.overall {
        for mean in [&mut overall.time, &mut overall.peak_rss].into_iter().flatten() {
            mean.pairs = 5;
        }
    }
    let part = |name: &str| Part { name: name.to_owned(), report: &report };
    let said = front::sentences(&[part("all 2 workloads")]).replace('\n', " ");
    assert!(said.contains("malloc, 0.70: **no difference** can be shown."), "{said}");
    let table = front::table(&[part("all"), part("the real programs")], tables::interval, true);
    assert!(!table.contains("**0.5"), "{table}");
}

#[test]
fn a_figure_of_one_run_is_no_loss_and_never_bold() {
    let mut report = report();
    for ratio in report
        .workloads
        .iter_mut()
        .flat_map(|work| &mut work.cells)
        .filter_map(|cell| cell.peak_rss.as_mut()?.ratio.as_mut())
    {
        ratio.pairs = 1;
    }
    let text = ratios(&report);
    assert!(text.contains("| 0.600 ") && !text.contains("**0.600"), "{text}");
    assert!(losses::table(&report).unwrap().starts_with("In no workload"));
}

#[test]
fn refusing_memory_is_not_the_best() {
    let mut report = report();
    for work in &mut report.workloads {
        work.cells[1].refused = 7;
    }
    assert!(ratios(&report).contains("7 refused"));
    assert!(losses::table(&report).unwrap().starts_with("In no workload"));
}

#[test]
fn the_front_page_says_who_is_faster_and_who_is_smaller() {
    let report = report();
    let part = |name: &str| Part { name: name.to_owned(), report: &report };
    assert_eq!(
        front::sentences(&[part("all 2 workloads")]),
        "Over all 2 workloads heapwright takes 0.50 of glibc's time, and jemalloc, the fastest other malloc, 0.70: heapwright is\n\
         **faster**. It takes 1.50 of jemalloc's memory, and 0.90 of glibc's."
    );
    let table = front::table(&[part("all"), part("the real programs")], tables::interval, true);
    assert!(table.contains("**0.500 [0.490, 0.510]**"), "{table}");
}

#[test]
fn a_noisy_record_claims_nothing_of_time() {
    let mut report = report();
    for work in &mut report.workloads {
        work.noise_floor = Some(0.07);
    }
    let part = |name: &str| Part { name: name.to_owned(), report: &report };
    let said = front::sentences(&[part("all")]).replace('\n', " ");
    assert!(said.contains("0.70: with its noise the run shows **no difference**."), "{said}");
    let table = front::table(&[part("all"), part("the real programs")], tables::interval, true);
    assert!(!table.contains("**0.5") && table.contains("**0.600"), "{table}");
}

//! The small programs every script runs: bash, tar, xz, grep, sort.

use heapwright_tests::{Malloc, Program, Scratch, need, same_on_both};

/// `count` lines of words, the same every time.
fn lines(count: u64) -> String {
    let mut state = 88_172_645_463_325_252_u64;
    let mut draw = move |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    };
    let mut text = String::new();
    for number in 0..count {
        text.push_str(&format!("{:06} ", draw(1_000_000)));
        for _ in 0..draw(12) {
            let word = ["slab", "span", "region", "magazine", "heap", "page"]
                [usize::try_from(draw(6)).unwrap_or(0)];
            text.push_str(word);
            text.push(' ');
        }
        text.push_str(&format!("{number}\n"));
    }
    text
}

#[test]
fn bash_arrays_loops_and_subshells() {
    let Some(bash) = need("bash") else { return };
    let script = include_str!("../../data/arrays.sh");
    let run =
        same_on_both("bash", || Program::new(&bash).args(["--norc", "--noprofile"]).input(script));
    assert!(run.stdout.ends_with("done\n"), "{run}");
}

#[test]
fn sort_in_parallel() {
    let Some(sort) = need("sort") else { return };
    let text = lines(200_000);
    let mut expected: Vec<&str> = text.lines().collect();
    expected.sort_unstable();
    let run = same_on_both("sort", || {
        Program::new(&sort)
            .args(["--parallel=2", "-S", "4M"])
            .env("LC_ALL", "C")
            .input(text.clone())
    });
    assert!(run.stdout.lines().eq(expected), "the lines are in order");
}

#[test]
fn grep_patterns() {
    let Some(grep) = need("grep") else { return };
    let text = lines(60_000);
    for pattern in [
        ["-cE", "(slab|heap) (page )+span"],
        ["-E", "(region) .*\\1 .*\\1"],
        ["-c", "^[0-4].*heap"],
    ] {
        same_on_both(pattern[1], || Program::new(&grep).args(pattern).input(text.clone()));
    }
}

#[test]
fn tar_packs_and_unpacks() {
    let Some(tar) = need("tar") else { return };
    let scratch = Scratch::new();
    std::fs::create_dir_all(scratch.join("in/a")).expect("a folder in the scratch folder");
    std::fs::create_dir_all(scratch.join("out")).expect("a folder in the scratch folder");
    let text = lines(100);
    for number in 0..300 {
        let _ = scratch
            .file(&format!("in/a/file-{number:03}-{}", "x".repeat(number % 150)), &text[number..]);
    }
    let pack = || {
        Program::new(&tar)
            .args(["-c", "-f", "-", "--sort=name", "-C"])
            .arg(scratch.path())
            .arg("in")
    };
    let _ = same_on_both("tar -c", pack);
    let archive = scratch.join("all.tar");
    let run = Program::new(&tar).arg("-cf").arg(&archive).arg("-C").arg(scratch.path()).arg("in");
    let _ = run.run(Malloc::Ours).expect_success("tar -cf");
    let list = same_on_both("tar -t", || Program::new(&tar).arg("-tvf").arg(&archive));
    assert_eq!(list.stdout.lines().count(), 302);
    let unpack = Program::new(&tar).arg("-xf").arg(&archive).arg("-C").arg(scratch.join("out"));
    let _ = unpack.run(Malloc::Ours).expect_success("tar -x");
    let back =
        std::fs::read_to_string(scratch.join("out/in/a/file-000-")).expect("tar unpacked it");
    assert_eq!(back, text);
}

#[test]
fn xz_with_two_threads() {
    let Some(xz) = need("xz") else { return };
    let scratch = Scratch::new();
    let text = lines(120_000);
    let file = scratch.file("text", &text);
    let squeeze = Program::new(&xz).args(["-T2", "-3", "--block-size=1MiB", "--keep"]).arg(&file);
    let _ = squeeze.run(Malloc::Ours).expect_success("xz");
    let packed = scratch.join("text.xz");
    let run = same_on_both("xz -dc", || Program::new(&xz).args(["-T2", "-dc"]).arg(&packed));
    assert!(run.stdout == text, "xz gives back what it took");
}

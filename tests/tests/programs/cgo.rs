//! A Go program that calls C's malloc from goroutines on many threads, built and run.

use core::time::Duration;
use heapwright_tests::{Malloc, Program, Scratch, need, same_on_both};

#[test]
#[ignore = "cargo xtask ci programs"]
fn built_and_run() {
    let (Some(go), Some(_)) = (need("go"), need("gcc")) else { return };
    let scratch = Scratch::new();
    let source = scratch.file("blocks.go", include_str!("../../data/blocks.go"));
    let program = scratch.join("blocks");
    // Go itself is linked statically; what runs on our malloc is the C compiler it starts.
    let build = Program::new(&go)
        .args(["build", "-p", "2", "-o"])
        .args([&program, &source])
        .current_dir(scratch.path())
        .env("HOME", scratch.path())
        .env("TMPDIR", scratch.path())
        .env("GOPATH", scratch.join("path"))
        .env("GOCACHE", scratch.join("cache"))
        .env("GOENV", "off")
        .env("GOFLAGS", "")
        .env("GO111MODULE", "off")
        .env("GOPROXY", "off")
        .env("GOTOOLCHAIN", "local")
        .env("CGO_ENABLED", "1")
        .limit(Duration::from_secs(300))
        .run(Malloc::Ours)
        .expect_success("go build");
    assert!(build.ours.contains("cc1"), "the C compiler ran on ours: {build}");
    for threads in ["2", "16"] {
        let run = same_on_both("cgo", || Program::new(&program).env("GOMAXPROCS", threads));
        assert!(run.stdout.ends_with("calls back 171292\n"), "{run}");
    }
}

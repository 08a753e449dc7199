//! A disk that is full, before and while results are written: it is said, and nothing half done is left.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::{exits, has, heapwright, outcome, plain, prints, program, refuses, says};
use tempfile::TempDir;

/// A disk of `size` that is unmounted in the end; `None`: this is not allowed here.
struct Disk(TempDir);

impl Disk {
    fn of(size: &str) -> Option<Self> {
        let dir = tempfile::tempdir().unwrap();
        let options = format!("size={size}");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &options, "tmpfs"]).arg(dir.path());
        if mount.output().is_ok_and(|output| output.status.success()) {
            return Some(Self(dir));
        }
        eprintln!("skipped: a small disk cannot be mounted here");
        None
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// Leaves no room on it; the file that takes it.
    fn fill(&self) -> std::path::PathBuf {
        let file = self.path().join("filler");
        assert!(fs::write(&file, vec![b'x'; 4 << 20]).is_err(), "the disk is larger than that");
        file
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.path()).status();
    }
}

fn bench(folder: &Path, temporary: Option<&Path>) -> (String, String, Option<i32>) {
    let mut command = heapwright();
    command.args(["bench", "bench-tiny", "-a", "glibc", "--rounds", "1", "--scale", "0.01"]);
    command.args(["--no-tails", "-o"]).arg(folder);
    command.envs(temporary.map(|folder| ("TMPDIR", folder)));
    outcome(&mut command)
}

#[test]
fn a_full_disk_is_said_and_the_table_is_printed() {
    let Some(disk) = Disk::of("8k") else { return };
    let (out, err) = exits(125, bench(&disk.path().join("results"), None));
    assert!(err.contains("cannot write"), "{err}");
    assert!(out.contains("glibc again") && out.contains("ratios "), "{out}");
}

#[test]
fn what_is_written_is_whole() {
    let dir = tempfile::tempdir().unwrap();
    exits(0, bench(&dir.path().join("results"), None));
    let pages = |name: &str| {
        fs::metadata(dir.path().join("results").join(name)).unwrap().len().div_ceil(4096)
    };
    // Room for the result, and for half of the page.
    let small = pages("result.json") + pages("runs.csv") + pages("table.txt");
    let size = format!("{}k", 4 * (small + 2 + pages("report.html") / 2));
    let Some(disk) = Disk::of(&size) else { return };
    let results = disk.path().join("results");
    says(125, bench(&results, None), &["cannot write", "report.html"]);
    let names: Vec<_> = fs::read_dir(&results).unwrap().map(|f| f.unwrap().file_name()).collect();
    assert!(!names.iter().any(|name| name == "report.html"), "{names:?}");
    assert!(!names.iter().any(|name| name.to_string_lossy().starts_with('.')), "{names:?}");
    let result = fs::read(results.join("result.json")).unwrap();
    serde_json::from_slice::<serde_json::Value>(&result).unwrap();
}

#[test]
fn once_there_is_room_the_same_command_works() {
    let Some(disk) = Disk::of("1m") else { return };
    let filler = disk.fill();
    let results = disk.path().join("results");
    refuses(125, bench(&results, None), &["nothing can be written to"]);
    fs::remove_file(filler).unwrap();
    exits(0, bench(&results, None));
}

#[test]
fn a_full_temporary_folder_is_named() {
    let Some(disk) = Disk::of("1m") else { return };
    disk.fill();
    let dir = tempfile::tempdir().unwrap();
    let measured = bench(&dir.path().join("results"), Some(disk.path()));
    says(125, measured, &[disk.path().to_str().unwrap(), "TMPDIR"]);
    assert_eq!(fs::read_dir(disk.path()).unwrap().count(), 1, "only what fills it");
}

#[test]
fn no_manual_page_is_empty() {
    let Some(disk) = Disk::of("1m") else { return };
    disk.fill();
    says(125, run!["man", "-o", disk.path().join("man1")], &["cannot write"]);
    assert_eq!(fs::read_dir(disk.path().join("man1")).unwrap().count(), 0);
}

/// A profile of a program that fills the disk itself: its places are told, and that there are no files.
#[test]
fn a_profile_on_a_full_disk_is_told() {
    let (Some(disk), place) = (Disk::of("1m"), tempfile::tempdir().unwrap()) else { return };
    let program = program("fills", &["-g", "-O1", "-fno-builtin"], place.path());
    let mut profile = heapwright();
    profile.env("TMPDIR", place.path()).args(["profile", "-o"]).arg(disk.path().join("prof"));
    profile.arg("--").arg(&program).arg(disk.path().join("filler"));
    let (out, err) = exits(125, outcome(&mut profile));
    assert!(out.contains("keep (") && out.contains("at the peak"), "{out}");
    assert!(err.contains("cannot write"), "{err}");
    // Where it is the text that has no room, the files are written.
    fs::remove_file(disk.path().join("filler")).unwrap();
    let mut profile = plain();
    profile.stdout(fs::OpenOptions::new().write(true).open("/dev/full").unwrap());
    let folder = place.path().join("prof");
    profile.args(["profile", "-o"]).arg(&folder).arg("--").arg(&program).arg("/dev/full");
    let output = profile.spawn().unwrap().wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(125), "{said}");
    assert!(said.contains("cannot write to standard output"), "{said}");
    let mut names = fs::read_dir(&folder).unwrap().flatten().map(|entry| entry.file_name());
    assert!(names.any(|name| name.to_string_lossy().ends_with(".pb.gz")), "{said}");
}

/// What was recorded until then was there, and no command could say a word of it.
#[test]
fn a_recording_on_a_full_disk_is_packed_elsewhere() {
    let (Some(disk), place) = (Disk::of("1m"), tempfile::tempdir().unwrap()) else { return };
    let program = program("many", &[], place.path());
    let folder = disk.path().join("recording");
    let mut record = heapwright();
    record.env("TMPDIR", place.path()).args(["record", "-o"]).arg(&folder);
    let (_, said) = exits(0, outcome(record.arg("--").arg(&program)));
    has(&said, &["events of 1 thread", "the disk is full", "could not be packed", "explain"]);
    let mut explain = heapwright();
    explain.env("TMPDIR", place.path()).arg("explain").arg(&folder);
    prints(0, outcome(&mut explain), &["the disk is full"]);
}

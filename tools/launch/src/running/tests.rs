use std::process::Stdio;

use super::*;

/// What takes longer hangs, on a busy machine too.
const HANGS: Duration = Duration::from_secs(120);

fn shell(script: &str) -> Command {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    shell
}

fn until(running: &mut Running, mut holds: impl FnMut(&mut Running) -> bool) {
    while !holds(running) {
        assert!(!running.is_late(), "it hangs");
        running.look(Duration::from_millis(5)).unwrap();
    }
}

fn is_there(process: i32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, state)| !state.starts_with(['Z', 'X']))
}

#[test]
fn an_end_and_what_was_said() {
    let mut command = shell("echo out; echo err >&2; exit 7");
    let mut running = Launch::new(&mut command).limit(HANGS).spawn().unwrap();
    assert_eq!(running.wait().unwrap().unwrap().code(), Some(7));
    assert_eq!((running.stdout.text(), running.stderr.text()), ("out\n".into(), "err\n".into()));
    assert!(running.has_ended() && running.cpu().is_some());
    assert_eq!(running.kill().unwrap().code(), Some(7), "it stays as it was");
}

#[test]
fn who_is_late_is_killed() {
    let mut command = shell("echo first; exec sleep 1000");
    let mut running = Launch::new(&mut command).limit(Duration::from_millis(300)).spawn().unwrap();
    assert_eq!(running.wait().unwrap(), None);
    assert_eq!(running.kill().unwrap().signal(), Some(9));
}

#[test]
fn a_group_does_not_outlive_its_program_nor_who_left_it() {
    for script in ["sleep 1000 & echo $!", "setsid sleep 1000 & echo $!; sleep 1000"] {
        let mut command = shell(script);
        let mut running = Launch::new(&mut command).group().limit(HANGS).spawn().unwrap();
        until(&mut running, |running| running.stdout.ends_with_a_line());
        let left = running.stdout.text().trim().parse().unwrap();
        if script.contains("setsid") {
            drop(running);
        } else {
            assert!(running.wait().unwrap().unwrap().success());
        }
        // Killed, and off as soon as the system comes to it.
        let gone = (0..12_000).any(|_| {
            std::thread::sleep(Duration::from_millis(10));
            !is_there(left)
        });
        assert!(gone, "{script}: process {left} lives");
    }
}

#[test]
fn without_a_group_what_it_started_goes_on() {
    let mut command = shell("sleep 1000 & echo $!");
    let mut running = Launch::new(&mut command).limit(HANGS).spawn().unwrap();
    assert!(running.wait().unwrap().unwrap().success());
    let left: i32 = running.stdout.text().trim().parse().unwrap();
    assert!(is_there(left));
    tree::signal(&[left], Signal::KILL);
}

#[test]
fn signals_and_input_reach_it() {
    let mut command =
        shell("trap 'exit 5' USR1; read line; echo $line; while :; do sleep 0.02; done");
    let mut running = Launch::new(&mut command).limit(HANGS).spawn().unwrap();
    std::io::Write::write_all(&mut running.stdin().unwrap(), b"ready\n").unwrap();
    until(&mut running, |running| running.stdout.take_lines() == ["ready"]);
    assert!(!running.has_ended());
    running.signal(Signal::USR1);
    assert_eq!(running.wait().unwrap().unwrap().code(), Some(5));
}

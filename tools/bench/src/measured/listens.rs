//! Whether a server is ready: one of its processes has a socket on which it listens.

use std::collections::HashSet;
use std::fs;

use launch::tree;

const LISTEN: &str = "0A";

/// The flag of a unix socket that listens.
const ACCEPTS: &str = "00010000";

/// Whether a process below `root` listens on a TCP or unix socket.
pub(super) fn does(root: i32) -> bool {
    tree::descendants(root).into_iter().any(|process| {
        let read =
            |file| fs::read_to_string(format!("/proc/{process}/net/{file}")).unwrap_or_default();
        let [tcp, tcp6, unix] = ["tcp", "tcp6", "unix"].map(read);
        let listening = listening(&[&tcp, &tcp6], &unix);
        let open = fs::read_dir(format!("/proc/{process}/fd")).into_iter().flatten().flatten();
        open.filter_map(|entry| fs::read_link(entry.path()).ok()).any(|target| {
            let target = target.to_string_lossy();
            let inode = target.strip_prefix("socket:[").and_then(|rest| rest.strip_suffix(']'));
            inode.is_some_and(|inode| listening.contains(inode))
        })
    })
}

fn listening<'a>(tcp: &[&'a str], unix: &'a str) -> HashSet<&'a str> {
    let column = |text: &'a str, state: usize, wanted: &'static str, inode: usize| {
        text.lines().filter_map(move |line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            (*words.get(state)? == wanted).then(|| words.get(inode).copied())?
        })
    };
    let tcp = tcp.iter().flat_map(|text| column(text, 3, LISTEN, 9));
    tcp.chain(column(unix, 3, ACCEPTS, 6)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_sockets_that_listen_count() {
        let tcp = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n\
                   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4242 1 0\n\
                   1: 0100007F:1F90 0100007F:AAAA 01 00000000:00000000 00:00000000 00000000     0        0 5 1 0\n";
        let unix = "Num       RefCount Protocol Flags    Type St Inode Path\n\
                    0000: 00000002 00000000 00010000 0001 01 77 /tmp/s\n\
                    0000: 00000003 00000000 00000000 0001 03 8\n";
        let mut found: Vec<&str> = listening(&[tcp, ""], unix).into_iter().collect();
        found.sort_unstable();
        assert_eq!(found, ["4242", "77"]);
    }
}

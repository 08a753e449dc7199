//! nginx with two workers, under load while it reads its configuration again: it serves files, compresses them, and
//! passes requests on to itself.

use core::sync::atomic::{AtomicUsize, Ordering};
use core::time::Duration;
use heapwright_tests::{Malloc, Program, Scratch, Server, need};
use rustix::process::Signal;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;

const CLIENTS: usize = 4;
const REQUESTS: usize = 1500;
const RELOADS: usize = 4;

/// Sockets are files of the scratch folder: there is no port that could be somebody else's.
fn configuration(folder: &Path) -> String {
    let temporary: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map(|what| format!("{what}_temp_path temporary/{what};\n"))
        .concat();
    let user = if rustix::process::geteuid().is_root() { "user root;\n" } else { "" };
    format!(
        "{user}daemon off;
worker_processes 2;
pid pid;
error_log stderr notice;
events {{ worker_connections 256; }}
http {{
  {temporary}
  access_log log;
  default_type text/plain;
  gzip on;
  gzip_min_length 100;
  gzip_types text/plain;
  gzip_proxied any;
  keepalive_requests 50;
  map $uri $kind {{ ~^/([a-z]+)- $1; default none; }}
  upstream itself {{ server unix:{folder}/back; keepalive 4; }}
  server {{
    listen unix:{folder}/front;
    root {folder}/files;
    add_header X-Kind $kind;
    location /again/ {{ proxy_pass http://itself/; proxy_http_version 1.1; proxy_set_header Connection ''; }}
    location /old/ {{ rewrite ^/old/(.*)$ /$1 last; }}
  }}
  server {{
    listen unix:{folder}/back;
    root {folder}/files;
  }}
}}
",
        folder = folder.display()
    )
}

fn contents(n: usize) -> Vec<u8> {
    format!("file {n} line\n").repeat(n * n * 40 + 1).into_bytes()
}

/// One answer: its status, whether the connection is of further use, and its body.
struct Answer {
    status: String,
    keep: bool,
    body: Vec<u8>,
}

/// Asks for `path` and reads the answer; `None` when the connection was closed instead.
fn ask(connection: &mut BufReader<UnixStream>, path: &str, zipped: bool) -> Option<Answer> {
    let accepts = if zipped { "Accept-Encoding: gzip\r\n" } else { "" };
    let request = format!("GET {path} HTTP/1.1\r\nHost: test\r\n{accepts}\r\n");
    connection.get_mut().write_all(request.as_bytes()).ok()?;
    let status = line(connection).filter(|status| !status.is_empty())?;
    let (mut length, mut chunked, mut keep) = (None, false, true);
    loop {
        let header = line(connection)?.to_ascii_lowercase();
        match header.split_once(": ") {
            Some(("content-length", value)) => length = value.parse().ok(),
            Some(("transfer-encoding", "chunked")) => chunked = true,
            Some(("connection", "close")) => keep = false,
            Some(_) => {}
            None => break,
        }
    }
    let mut body = Vec::new();
    while chunked || length.is_some() {
        let size = match length {
            Some(length) => length,
            None => usize::from_str_radix(&line(connection)?, 16).ok()?,
        };
        let mut piece = vec![0; size];
        connection.read_exact(&mut piece).ok()?;
        body.extend(piece);
        if chunked {
            line(connection)?;
        }
        if length.is_some() || size == 0 {
            break;
        }
    }
    Some(Answer { status, keep, body })
}

fn line(connection: &mut BufReader<UnixStream>) -> Option<String> {
    let mut line = String::new();
    connection.read_line(&mut line).ok()?;
    Some(line.trim_end().to_owned())
}

fn connect(socket: &Path) -> BufReader<UnixStream> {
    let connection = UnixStream::connect(socket).expect("nginx listens, also while it reloads");
    let limit = Some(Duration::from_secs(60));
    connection.set_read_timeout(limit).expect("a socket takes a limit");
    connection.set_write_timeout(limit).expect("a socket takes a limit");
    BufReader::new(connection)
}

/// All requests of one client, and the sizes of the zipped bodies.
fn client(number: usize, socket: &Path, done: &AtomicUsize) -> Vec<usize> {
    let mut sizes = Vec::new();
    let mut connection = connect(socket);
    for i in 0..REQUESTS {
        let file = (i * 7 + number) % 12;
        let path = format!("{}file-{file}", ["/", "/again/", "/old/"][i % 3]);
        let zipped = i % 4 == 0;
        let mut closed = 0;
        let answer = loop {
            if let Some(answer) = ask(&mut connection, &path, zipped) {
                break answer;
            }
            // A worker that ends closes the connections that wait for a request.
            closed += 1;
            assert!(closed <= 2 * RELOADS, "{path}: closed without an answer, again and again");
            connection = connect(socket);
        };
        assert_eq!(answer.status, "HTTP/1.1 200 OK", "{path}");
        if zipped && file > 0 {
            assert!(answer.body.starts_with(&[0x1f, 0x8b]), "{path} is zipped");
            sizes.push(answer.body.len());
        } else {
            assert!(answer.body == contents(file), "{path}: {} bytes", answer.body.len());
        }
        if !answer.keep {
            connection = connect(socket);
        }
        done.fetch_add(1, Ordering::Relaxed);
    }
    sizes
}

/// Serves all requests, reloading in between, and ends; the sizes of all zipped bodies.
fn serve(nginx: &Path, malloc: Malloc) -> Vec<Vec<usize>> {
    let scratch = Scratch::new();
    for folder in ["files", "temporary"] {
        std::fs::create_dir(scratch.join(folder)).expect("a folder in the scratch folder");
    }
    for n in 0..12 {
        let _ = scratch.file(&format!("files/file-{n}"), contents(n));
    }
    let config = scratch.file("nginx.conf", configuration(scratch.path()));
    let socket = scratch.join("front");
    let program = Program::new(nginx)
        .arg("-p")
        .arg(scratch.path())
        .args(["-e", "stderr", "-c"])
        .arg(config)
        .current_dir(scratch.path());
    let server = Server::start(program, malloc, &scratch.join("said"), || {
        UnixStream::connect(&socket).is_ok()
    });
    let done = AtomicUsize::new(0);
    let sizes = std::thread::scope(|scope| {
        let (socket, done) = (&socket, &done);
        let clients: Vec<_> =
            (0..CLIENTS).map(|n| scope.spawn(move || client(n, socket, done))).collect();
        for reload in 1..=RELOADS {
            let enough = CLIENTS * REQUESTS * reload / (RELOADS + 1);
            while done.load(Ordering::Relaxed) < enough && clients.iter().any(|c| !c.is_finished())
            {
                std::thread::sleep(Duration::from_millis(1));
            }
            server.signal(Signal::HUP);
        }
        clients
            .into_iter()
            .map(|c| c.join().unwrap_or_else(|_| panic!("{}", server.said())))
            .collect()
    });
    let log = scratch.join("said");
    let status = server.stop(Some(Signal::QUIT));
    let said = std::fs::read_to_string(log).unwrap_or_default();
    assert!(status.success(), "nginx ended with {status}:\n{said}");
    let count = |words: &str| said.lines().filter(|line| line.contains(words)).count();
    assert!(count("reconfiguring") > 0, "nginx reloaded:\n{said}");
    for wrong in ["[alert]", "[crit]", "[emerg]", "on signal"] {
        assert_eq!(count(wrong), 0, "{wrong}:\n{said}");
    }
    sizes
}

#[test]
fn serves_while_it_reloads() {
    let Some(nginx) = need("nginx") else { return };
    let ours = serve(&nginx, Malloc::Ours);
    assert!(ours == serve(&nginx, Malloc::Plain), "the zipped bodies have the same sizes");
}

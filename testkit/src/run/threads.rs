//! Programs that name threads: the runner goes to the thread whose turn it is.
use core::ops::Range;
use std::collections::HashMap;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Scope, ScopedJoinHandle};

use super::Runner;
use crate::program::{Op, Program};
use crate::wrong::Failure;

type Turn<'a> = (Runner<'a>, Range<usize>);
type Done<'a> = Result<Runner<'a>, Failure>;

struct Worker<'scope, 'a> {
    turns: Sender<Turn<'a>>,
    done: Receiver<Done<'a>>,
    thread: ScopedJoinHandle<'scope, ()>,
}

pub(super) fn run<'a>(mut runner: Runner<'a>, program: &Program) -> Done<'a> {
    if !program.has_threads() {
        return part(runner, program, 0..program.ops.len());
    }
    std::thread::scope(|scope| {
        let mut workers = HashMap::new();
        let mut current = 0;
        let mut start = 0;
        for (i, &op) in program.ops.iter().enumerate() {
            let (Op::On { thread } | Op::Exit { thread }) = op else { continue };
            runner = turn(scope, &mut workers, current, runner, program, start..i)?;
            start = i;
            match op {
                Op::On { .. } => current = thread,
                _ => {
                    if let Some(worker) = workers.remove(&thread) {
                        end(worker);
                    }
                    current = if current == thread { 0 } else { current };
                }
            }
        }
        turn(scope, &mut workers, current, runner, program, start..program.ops.len())
        // The workers' channels close here, and the scope waits for their threads.
    })
}

fn turn<'scope, 'a: 'scope>(
    scope: &'scope Scope<'scope, '_>,
    workers: &mut HashMap<u32, Worker<'scope, 'a>>,
    thread: u32,
    runner: Runner<'a>,
    program: &'scope Program,
    range: Range<usize>,
) -> Done<'a> {
    if thread == 0 {
        return part(runner, program, range);
    }
    let worker = workers.entry(thread).or_insert_with(|| start(scope, program));
    worker.turns.send((runner, range)).expect("a worker lives until its channel closes");
    worker.done.recv().expect("a worker answers every turn")
}

fn start<'scope, 'a: 'scope>(
    scope: &'scope Scope<'scope, '_>,
    program: &'scope Program,
) -> Worker<'scope, 'a> {
    let (turns, next) = channel::<Turn<'a>>();
    let (answer, done) = channel();
    let thread = scope.spawn(move || {
        for (runner, range) in next {
            let ended = answer.send(part(runner, program, range)).is_err();
            if ended {
                return;
            }
        }
    });
    Worker { turns, done, thread }
}

/// Lets a worker's thread end, with its destructors, before the next operation.
fn end(worker: Worker<'_, '_>) {
    drop(worker.turns);
    worker.thread.join().expect("a worker does not panic");
}

fn part<'a>(mut runner: Runner<'a>, program: &Program, range: Range<usize>) -> Done<'a> {
    let start = range.start;
    for (i, &op) in program.ops[range].iter().enumerate() {
        runner.step(start + i, op)?;
    }
    Ok(runner)
}

//! The longest path from an instruction to its function's return, and whether a loop can be reached on the way.
//!
//! ```text
//! best(i) = 1 + best of its callee + max of best(j) over what follows i
//! back edge: j is still being visited when i reaches it: a loop, or a recursion
//! ```
//!
//! The nodes are instructions, not functions: a tail call is a jump, and what it reaches counts like any other code.
//! A node's answer does not depend on who asks, so that each is visited once, in depth-first order.
//!
//! - **W1** without a back edge every execution that returns is a path of an acyclic graph, and none takes more
//!   instructions than the longest.
//! - **W2** what cannot return (a trap, a panic's end) is on no path; where a path leads there, that is reported.
//! - **W3** an indirect call or jump is reported, or adds the instructions that were declared for its function.

use super::flow::Flow;
use super::program::Program;
use std::collections::{BTreeMap, BTreeSet};

/// What is known of everything reachable from one instruction.
#[derive(Debug, Clone, Default)]
pub(super) struct Found {
    /// Instructions on the longest path to the return.
    pub(super) longest: u64,
    /// Jumps backward, as `(from, to)`.
    pub(super) back_edges: BTreeSet<(u64, u64)>,
    /// Calls and jumps whose target is unknown and that nobody declared.
    pub(super) indirect: BTreeSet<u64>,
    /// Where what never returns begins.
    pub(super) stops: BTreeSet<u64>,
    /// The longest path, one address for each instruction.
    pub(super) path: Vec<u64>,
}

/// Instructions that an indirect call or jump takes, by a part of its function's name; its callees included.
pub(super) type Declared = BTreeMap<String, u64>;

/// Everything about the function at `entry`.
pub(super) fn search(program: &Program, declared: &Declared, entry: u64) -> Found {
    let mut graph = Graph::reachable(program, declared, entry);
    graph.keep_what_returns();
    graph.measure(entry);
    graph.finish(entry)
}

#[derive(Debug, Clone, Default)]
struct Node {
    /// What it calls; its own successors come after that has returned.
    callee: Option<u64>,
    next: Vec<u64>,
    returns: bool,
    /// Instructions declared for what is not seen.
    extra: u64,
}

/// The longest path from an instruction, and the step it begins with.
#[derive(Debug, Clone, Copy)]
struct Best {
    longest: u64,
    then: Option<u64>,
}

#[derive(Debug, Default)]
struct Graph {
    nodes: BTreeMap<u64, Node>,
    best: BTreeMap<u64, Best>,
    found: Found,
}

impl Graph {
    /// All that can be reached when every call returns.
    fn reachable(program: &Program, declared: &Declared, entry: u64) -> Self {
        let mut graph = Graph::default();
        let mut open = vec![entry];
        while let Some(at) = open.pop() {
            if !graph.nodes.contains_key(&at) {
                let node = graph.node(program, declared, at);
                open.extend(node.next.iter().copied().chain(node.callee));
                graph.nodes.insert(at, node);
            }
        }
        graph
    }

    fn node(&mut self, program: &Program, declared: &Declared, at: u64) -> Node {
        // Outside the code, or data: nothing that returns.
        let Some(one) = program.code.get(&at) else { return Node::default() };
        let next: Vec<u64> = one.next.into_iter().collect();
        let node = Node::default();
        let mut unseen = || {
            let function = program.function_at(at);
            let fits = |name: &&String| function.contains(name.as_str());
            let cost = declared.keys().find(fits).map(|name| declared[name]);
            if cost.is_none() {
                self.found.indirect.insert(at);
            }
            cost.unwrap_or(0)
        };
        match &one.flow {
            Flow::Next => Node { next, ..node },
            Flow::Repeat => {
                self.found.back_edges.insert((at, at));
                Node { next, ..node }
            }
            Flow::Branch(to) => Node { next: next.into_iter().chain([*to]).collect(), ..node },
            Flow::Jump(to) => Node { next: vec![*to], ..node },
            Flow::Call(to) => Node { callee: Some(*to), next, ..node },
            Flow::CallIndirect => Node { next, extra: unseen(), ..node },
            Flow::Table(to) if to.is_empty() => Node { returns: true, extra: unseen(), ..node },
            Flow::Table(to) => Node { next: to.clone(), ..node },
            Flow::Return => Node { returns: true, ..node },
            Flow::ReturnMaybe => Node { next, returns: true, ..node },
            Flow::Stop => node,
        }
    }

    /// Drops every node from which there is no way to a return, and notes where a way leads to one.
    fn keep_what_returns(&mut self) {
        let mut live = BTreeSet::new();
        loop {
            let more: Vec<u64> = self
                .nodes
                .iter()
                .filter(|(at, node)| {
                    !live.contains(*at)
                        && node.callee.is_none_or(|callee| live.contains(&callee))
                        && (node.returns || node.next.iter().any(|to| live.contains(to)))
                })
                .map(|(at, _)| *at)
                .collect();
            if more.is_empty() {
                break;
            }
            live.extend(more);
        }
        for (at, node) in &mut self.nodes {
            if live.contains(at) {
                let dead = node.next.iter().filter(|to| !live.contains(to));
                self.found.stops.extend(dead);
                node.next.retain(|to| live.contains(to));
            }
        }
        self.nodes.retain(|at, _| live.contains(at));
        self.found.indirect.retain(|at| live.contains(at));
        self.found.back_edges.retain(|(at, _)| live.contains(at));
    }

    /// Depth first, with a stack of our own: instruction by instruction it is deep.
    fn measure(&mut self, entry: u64) {
        let mut visiting = BTreeSet::new();
        let mut stack = vec![(entry, false)];
        while let Some((at, left)) = stack.pop() {
            if self.best.contains_key(&at) {
                continue;
            }
            let Some(node) = self.nodes.get(&at) else { continue };
            if left {
                visiting.remove(&at);
                let longest = |to: u64| self.best.get(&to).map_or(0, |best| best.longest);
                let then = node.next.iter().copied().max_by_key(|&to| longest(to));
                let called = node.callee.map_or(0, longest);
                let longest = 1 + node.extra + called + then.map_or(0, longest);
                self.best.insert(at, Best { longest, then });
                continue;
            }
            if !visiting.insert(at) {
                continue; // pushed twice before it was visited
            }
            stack.push((at, true));
            for to in node.next.iter().copied().chain(node.callee) {
                if visiting.contains(&to) {
                    self.found.back_edges.insert((at, to));
                } else {
                    stack.push((to, false));
                }
            }
        }
    }

    /// The longest path from `entry`, calls included.
    fn walk(&self, entry: u64, path: &mut Vec<u64>) {
        let mut at = Some(entry);
        while let Some(here) = at {
            path.push(here);
            let callee = self.nodes.get(&here).and_then(|node| node.callee);
            // A recursion's path would have no end.
            if let Some(callee) = callee.filter(|callee| !path.contains(callee)) {
                self.walk(callee, path);
            }
            at = self.best.get(&here).and_then(|best| best.then);
            if at.is_some_and(|to| self.found.back_edges.contains(&(here, to))) {
                break;
            }
        }
    }

    fn finish(self, entry: u64) -> Found {
        let longest = self.best.get(&entry).map_or(0, |best| best.longest);
        let mut path = Vec::new();
        if longest > 0 {
            self.walk(entry, &mut path);
        }
        Found { longest, path, ..self.found }
    }
}

#[cfg(test)]
mod tests;

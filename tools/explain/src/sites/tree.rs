//! Which callers are told of a site: those that its uses are told apart by.
//!
//! ```text
//! _sdsnewlen                 many call it, and none of them is most of its bytes: so who calls it is what tells
//! ├─ sdsnew < createObject   here one is: it ends
//! └─ sdsdup
//! ```

use std::collections::HashMap;

use symbols::Names;

use super::{Path, Sums};
use crate::facts::{Site, Uses};

/// Callers tell uses apart if they are as good as so many of equal parts.
const CALLERS: f64 = 1.5;
/// Sites that are told of, for each length of their paths and each thing that they may be most of.
const MOST: usize = 8;

/// A path, with all that is allocated on longer ones.
#[derive(Debug)]
struct Node {
    path: Path,
    sums: Sums,
}

/// How many sites there are, and those that are most of something, the largest at the peak first.
pub(super) fn told(names: &Names, paths: &[Path], sums: &[Sums]) -> (u64, Vec<Site>) {
    let nodes = nodes(paths, sums);
    let uses: Vec<Uses> = nodes.iter().map(|node| node.sums.uses()).collect();
    let mut told: Vec<usize> = Vec::new();
    let figures: [fn(&Uses) -> f64; 7] = [
        |uses| uses.allocated.bytes,
        |uses| uses.temporary.blocks,
        |uses| uses.elsewhere.blocks,
        |uses| uses.peak.bytes,
        |uses| uses.held.bytes,
        Uses::growth,
        |uses| uses.left.bytes,
    ];
    let longest = nodes.iter().map(|node| node.path.len).max().unwrap_or(0);
    for figure in figures {
        for len in 1..=longest {
            let is_some = |&n: &usize| nodes[n].path.len == len && figure(&uses[n]) > 0.0;
            let mut most: Vec<usize> = (0..nodes.len()).filter(is_some).collect();
            most.sort_by(|&a, &b| figure(&uses[b]).total_cmp(&figure(&uses[a])).then(a.cmp(&b)));
            told.extend(most.into_iter().take(MOST));
        }
    }
    // What a path of the list is a part of is there as well.
    let numbers: HashMap<Path, usize> =
        nodes.iter().enumerate().map(|(n, node)| (node.path, n)).collect();
    let within = |n: usize| {
        let path = nodes[n].path;
        (path.len > 1).then(|| numbers.get(&path.cut(path.len - 1)).copied())?
    };
    let mut at = 0;
    while at < told.len() {
        told.extend(within(told[at]));
        at += 1;
    }
    told.sort_unstable();
    told.dedup();
    told.sort_by(|&a, &b| uses[b].peak.bytes.total_cmp(&uses[a].peak.bytes));
    let place = |n: usize| told.iter().position(|&told| told == n);
    let list = told.iter().map(|&n| Site {
        within: within(n).and_then(place),
        ..named(names, &nodes[n].path, uses[n])
    });
    let count = nodes.iter().filter(|node| node.path.len == 1).count() as u64;
    (count, list.collect())
}

/// Each path as far as callers tell its uses apart, and what it is a part of.
fn nodes(paths: &[Path], sums: &[Sums]) -> Vec<Node> {
    let mut callers: HashMap<Path, HashMap<symbols::Site, f64>> = HashMap::new();
    for (path, sums) in paths.iter().zip(sums) {
        for len in 1..path.sites.len() {
            let inner = functions(path.cut(len));
            let caller = path.sites().get(len).copied().unwrap_or_default().function();
            if inner.len == len {
                *callers.entry(inner).or_default().entry(caller).or_default() +=
                    sums.allocated.bytes;
            }
        }
    }
    let tell: HashMap<Path, bool> = callers
        .into_iter()
        .map(|(inner, callers)| (inner, equal_parts(&callers) >= CALLERS))
        .collect();
    let mut numbers: HashMap<Path, usize> = HashMap::new();
    let mut nodes: Vec<Node> = Vec::new();
    for (path, sums) in paths.iter().zip(sums) {
        for len in 1..=path.len {
            let cut = path.cut(len);
            let number = *numbers.entry(cut).or_insert(nodes.len());
            if number == nodes.len() {
                nodes.push(Node { path: cut, sums: Sums::default() });
            }
            nodes[number].sums.add(sums);
            if !tell.get(&functions(cut)).copied().unwrap_or_default() {
                break;
            }
        }
    }
    nodes
}

fn functions(mut path: Path) -> Path {
    path.sites = path.sites.map(symbols::Site::function);
    path
}

/// n for n callers with equal parts, 1 for one that has it all.
fn equal_parts(callers: &HashMap<symbols::Site, f64>) -> f64 {
    let all: f64 = callers.values().sum();
    let squares: f64 = callers.values().map(|bytes| bytes * bytes).sum();
    if squares > 0.0 { all * all / squares } else { 1.0 }
}

fn named(names: &Names, path: &Path, uses: Uses) -> Site {
    let (symbol, module, place) = names.at_site(path.sites[0]);
    Site {
        name: names.path_name(path.sites()),
        function: symbol.function.to_owned(),
        file: symbol.file.to_owned(),
        line: symbol.line,
        module: module.to_owned(),
        place,
        within: None,
        uses,
    }
}

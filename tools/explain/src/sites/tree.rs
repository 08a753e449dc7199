//! Sites with their callers where those tell uses apart: of each what is allocated there, and of which one it is a part.

use std::collections::HashMap;

use symbols::{Names, SitePath};

use super::{Of, Sums};
use crate::facts::{Site, Uses};

/// Sites that are told of, for each length of their paths and each thing that they may be most of.
const MOST: usize = 8;

/// A path, with all that is allocated on longer ones.
#[derive(Debug)]
struct Node {
    path: SitePath,
    sums: Sums,
}

/// How many sites there are, and those that are most of something, the largest at the peak first.
pub(super) fn told(names: &Names, paths: &[SitePath], sums: &[Sums]) -> (u64, Vec<Site>) {
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
    let longest = nodes.iter().map(|node| node.path.sites().len()).max().unwrap_or(0);
    for figure in figures {
        for len in 1..=longest {
            let is_some = |&n: &usize| nodes[n].path.sites().len() == len && figure(&uses[n]) > 0.0;
            let mut most: Vec<usize> = (0..nodes.len()).filter(is_some).collect();
            most.sort_by(|&a, &b| figure(&uses[b]).total_cmp(&figure(&uses[a])).then(a.cmp(&b)));
            told.extend(most.into_iter().take(MOST));
        }
    }
    // What a path of the list is a part of is there as well.
    let numbers: HashMap<SitePath, usize> =
        nodes.iter().enumerate().map(|(n, node)| (node.path, n)).collect();
    let within = |n: usize| {
        let path = nodes[n].path;
        (path.sites().len() > 1).then(|| numbers.get(&path.cut(path.sites().len() - 1)).copied())?
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
    let count = nodes.iter().filter(|node| node.path.sites().len() == 1).count() as u64;
    (count, list.collect())
}

/// Each path as far as callers tell its uses apart, and what it is a part of.
fn nodes(paths: &[SitePath], sums: &[Sums]) -> Vec<Node> {
    let weighed =
        paths.iter().zip(sums).map(|(path, sums)| (*path, sums.0[Of::Allocated as usize].bytes));
    let lens = symbols::told(&weighed.collect::<Vec<_>>());
    let mut numbers: HashMap<SitePath, usize> = HashMap::new();
    let mut nodes: Vec<Node> = Vec::new();
    for ((path, sums), told) in paths.iter().zip(sums).zip(lens) {
        for len in 1..=told {
            let cut = path.cut(len);
            let number = *numbers.entry(cut).or_insert(nodes.len());
            if number == nodes.len() {
                nodes.push(Node { path: cut, sums: Sums::default() });
            }
            nodes[number].sums.add(sums);
        }
    }
    nodes
}

fn named(names: &Names, path: &SitePath, uses: Uses) -> Site {
    let (symbol, module, place) = names.at_site(path.sites()[0]);
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

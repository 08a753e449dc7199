//! The file format of speedscope, <https://www.speedscope.app>: one profile for each cost.

use serde_json::{Value, json};

use crate::cost::Cost;
use crate::tree::Tree;

pub fn speedscope(tree: &Tree, title: &str) -> String {
    let frame = |label: &crate::tree::Label| {
        let mut frame = json!({ "name": label.name });
        if !label.file.is_empty() {
            frame["file"] = json!(label.file);
        }
        frame
    };
    let frames: Vec<Value> = tree.labels.iter().map(frame).collect();
    let profiles = Cost::ALL.map(|cost| profile(tree, cost));
    let file = json!({
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "shared": { "frames": frames },
        "profiles": profiles,
        "name": title,
        "activeProfileIndex": 0,
        "exporter": concat!("heapwright ", env!("CARGO_PKG_VERSION")),
    });
    file.to_string()
}

fn profile(tree: &Tree, cost: Cost) -> Value {
    let (mut samples, mut weights, mut all) = (Vec::new(), Vec::new(), 0.0);
    for (at, node) in tree.nodes.iter().enumerate().skip(1) {
        let bytes = node.own.of(cost).bytes.round();
        if bytes >= 1.0 {
            let path = tree.path(at);
            samples.push(path.iter().map(|&at| tree.nodes[at].label).collect::<Vec<_>>());
            weights.push(bytes);
            all += bytes;
        }
    }
    json!({
        "type": "sampled",
        "name": cost.name(),
        "unit": "bytes",
        "startValue": 0,
        "endValue": all,
        "samples": samples,
        "weights": weights,
    })
}

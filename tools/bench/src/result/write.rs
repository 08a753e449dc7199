//! The result as text: JSON, and the raw runs as CSV.

use core::fmt::Write as _;

use super::{Report, SCHEMA, VERSION, lines};
use launch::Exit;

/// Why a text is no result.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It is not JSON, or a field is missing.
    #[error("it is not a result of heapwright bench: {0}")]
    Json(#[from] serde_json::Error),
    /// It is another kind of result, or of a version that is not known here.
    #[error("its schema is {0} {1}; this heapwright reads {SCHEMA} {VERSION}")]
    Schema(String, u64),
}

impl Report {
    /// The report as JSON text: a line for each field of it, each workload and each run.
    pub fn to_json(&self) -> serde_json::Result<String> {
        lines::text(self)
    }

    /// Reads a report.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let value: serde_json::Value = serde_json::from_str(text)?;
        let schema = value["schema"].as_str().unwrap_or("unknown").to_owned();
        let version = value["version"].as_u64().unwrap_or(0);
        if schema != SCHEMA || version != u64::from(VERSION) {
            return Err(Error::Schema(schema, version));
        }
        Ok(serde_json::from_value(value)?)
    }

    /// The points of all curves as CSV, one line each, with a heading.
    #[must_use]
    pub fn curves_to_csv(&self) -> String {
        let mut out = String::from("workload,allocator,curve,x,y\n");
        for work in &self.workloads {
            for (cell, entry) in work.cells.iter().zip(&self.allocators) {
                for series in &cell.series {
                    let [work, name, curve] =
                        [&work.name, &entry.name, &series.name].map(|text| field(text));
                    for (x, y) in &series.points {
                        // Writing to a string cannot fail.
                        let _ = writeln!(out, "{work},{name},{curve},{x},{y}");
                    }
                }
            }
        }
        out
    }

    /// The raw runs as CSV, one line each, with a heading.
    #[must_use]
    pub fn to_csv(&self) -> String {
        let mut out = String::from(
            "workload,allocator,pass,round,place,starved,wall_ns,user_us,system_us,peak_rss_bytes,minor_faults,\
             major_faults,voluntary_switches,involuntary_switches,others_us,ops,ns,refused,exit,waited_us\n",
        );
        for run in &self.runs {
            let f = &run.figures;
            let work = self.workloads.get(run.workload.0).map_or("", |w| w.name.as_str());
            let name = self.allocators.get(run.allocator.0).map_or("", |e| e.name.as_str());
            let or_empty = |n: Option<u64>| n.map(|n| n.to_string()).unwrap_or_default();
            let pass = format!("{:?}", run.pass).to_lowercase();
            // Writing to a string cannot fail.
            let _ = writeln!(
                out,
                "{},{},{pass},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}",
                field(work),
                field(name),
                run.round,
                run.place,
                run.starved,
                f.wall_ns,
                f.user_us,
                f.system_us,
                f.peak_rss_bytes,
                f.minor_faults,
                f.major_faults,
                f.voluntary_switches,
                f.involuntary_switches,
                or_empty(f.others_us),
                or_empty(run.ops),
                or_empty(run.ns),
                run.refused,
                match f.exit {
                    Exit::Code(code) => code,
                    Exit::Signal(signal) => 128 + signal,
                },
                or_empty(f.waited_us),
            );
        }
        out
    }
}

/// Quoted where it has to be.
pub(crate) fn field(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

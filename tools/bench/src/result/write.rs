//! The result as text: JSON, and the raw runs as CSV.

use launch::Exit;
use serde_json::Value;

use super::{Report, SCHEMA, VERSION, lines};
use crate::session::Run;

/// A column for each field of a run, by its name.
const COLUMNS: &str = "workload,allocator,pass,round,place,starved,wall_ns,user_us,system_us,peak_rss_bytes,minor_faults,\
                       major_faults,voluntary_switches,involuntary_switches,others_us,ops,ns,refused,exit,waited_us";

impl Report {
    /// The report as JSON text: a line for each field of it, each workload and each run.
    pub fn to_json(&self) -> serde_json::Result<String> {
        lines::text(self)
    }

    /// Reads a report, also one of another version: all since the second, as later ones only add fields.
    /// Errors: what it is, has or lacks instead.
    pub fn from_json(text: &str) -> Result<Self, String> {
        let json: Value = serde_json::from_str(text).map_err(|e| format!("is no JSON: {e}"))?;
        match json["schema"].as_str() {
            Some(SCHEMA) => {}
            Some(other) => {
                return Err(format!("has the schema {other:?}; expected {SCHEMA:?}"));
            }
            None => return Err(format!("has no \"schema\"; expected {SCHEMA:?}")),
        }
        match json["version"].as_u64() {
            Some(version) if version >= u64::from(VERSION) => {}
            found => {
                let found = found.map_or_else(|| "none".to_owned(), |v| v.to_string());
                return Err(format!(
                    "has version {found} of {SCHEMA}; this heapwright reads version {VERSION} and newer ones: measure again"
                ));
            }
        }
        serde_json::from_value(json).map_err(|e| format!("says it is {SCHEMA}, but: {e}"))
    }

    pub fn curves_to_csv(&self) -> String {
        let mut rows = Vec::new();
        for work in &self.workloads {
            for (cell, entry) in work.cells.iter().zip(&self.allocators) {
                for series in &cell.series {
                    let name = || [&work.name, &entry.name, &series.name].map(String::clone);
                    let row = |(x, y): &(f64, f64)| {
                        name().into_iter().chain([x, y].map(f64::to_string)).collect()
                    };
                    rows.extend(series.points.iter().map(row));
                }
            }
        }
        csv("workload,allocator,curve,x,y", rows)
    }

    /// The raw runs as CSV, one line each, with a heading.
    pub fn to_csv(&self) -> String {
        let row = |run: &Run| -> Vec<String> {
            let json = serde_json::to_value(run).unwrap_or_default();
            let cell = |column| match (column, &json[column]) {
                ("workload", _) => self.workloads.get(run.workload.0).map(|w| w.name.clone()),
                ("allocator", _) => self.allocators.get(run.allocator.0).map(|e| e.name.clone()),
                ("exit", _) => Some(match run.figures.exit {
                    Exit::Code(code) => code.to_string(),
                    Exit::Signal(signal) => (128 + signal).to_string(),
                }),
                (_, Value::Null) => None,
                (_, Value::String(text)) => Some(text.clone()),
                (_, other) => Some(other.to_string()),
            };
            COLUMNS.split(',').map(|column| cell(column).unwrap_or_default()).collect()
        };
        csv(COLUMNS, self.runs.iter().map(row).collect())
    }
}

fn csv(heads: &str, rows: Vec<Vec<String>>) -> String {
    let mut writer = csv::Writer::from_writer(format!("{heads}\n").into_bytes());
    for row in rows {
        // A vector takes all that is written, and every row has all columns.
        let _ = writer.write_record(row);
    }
    String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
}

//! The figures as OpenMetrics text, which Prometheus and all that understand it read.
//!
//! Counters are sums since the process began, from which a reader makes rates; all others are gauges of the moment.

use core::fmt::Write as _;
use std::path::Path;

use crate::heap::{Heap, SizeClass};
use crate::look::Figures;

/// What the text is called where it goes by HTTP.
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

struct Metric {
    name: &'static str,
    /// Bytes, seconds, or nothing.
    unit: &'static str,
    help: &'static str,
    is_sum: bool,
    value: fn(&Figures) -> Option<f64>,
}

macro_rules! metrics {
    ($($kind:ident $name:literal $unit:literal $help:literal $value:expr;)*) => {
        [$(Metric { name: $name, unit: $unit, help: $help, is_sum: metrics!(@$kind), value: $value }),*]
    };
    (@gauge) => { false };
    (@sum) => { true };
}

fn of_heap(figures: &Figures, value: fn(&Heap) -> u64) -> Option<f64> {
    figures.heap.as_ref().map(|heap| value(heap) as f64)
}

const METRICS: [Metric; 23] = metrics! {
    gauge "resident" "bytes" "Resident memory of the process." |f| Some(f.process.resident as f64);
    gauge "resident_peak" "bytes" "The most resident memory that it had." |f| Some(f.process.peak as f64);
    gauge "anonymous" "bytes" "Resident memory that is of no file." |f| Some(f.process.anonymous as f64);
    gauge "swapped" "bytes" "Memory of the process that was swapped out." |f| Some(f.process.swapped as f64);
    gauge "live" "bytes" "In blocks that the program holds." |f| of_heap(f, |h| h.live);
    gauge "kept" "bytes" "Free, and kept by threads." |f| of_heap(f, |h| h.kept);
    gauge "fragmented" "bytes" "Free between live blocks of one size, in slabs; pages that went back too." |f| of_heap(f, |h| h.fragmented);
    gauge "free" "bytes" "Free in whole pages, and not given back yet." |f| of_heap(f, |h| h.dirty);
    gauge "held" "bytes" "What was obtained and did not go back." |f| of_heap(f, |h| h.held);
    gauge "obtained" "bytes" "Addresses that were made usable." |f| of_heap(f, |h| h.obtained);
    gauge "mappings" "bytes" "In blocks that are mappings of their own; live too." |f| of_heap(f, |h| h.huge);
    gauge "descriptors" "bytes" "What malloc keeps its books in." |f| of_heap(f, |h| h.books);
    gauge "threads_with_cache" "" "Threads that use malloc." |f| of_heap(f, |h| h.threads_now);
    gauge "threads" "" "Threads of the process." |f| Some(f.process.threads as f64);
    gauge "shards" "" "Shards of the lists of slabs: more, where threads waited for each other." |f| of_heap(f, |h| h.shards);
    gauge "unsettled_granules" "" "Units of 16 KiB that changed while they were read." |f| of_heap(f, |h| h.unsettled);
    sum "given_back" "bytes" "Bytes that went back to the system." |f| of_heap(f, |h| h.given_back);
    sum "refills" "" "Times a thread got dozens of blocks of a size." |f| of_heap(f, |h| h.refills);
    sum "flushes" "" "Times a thread gave dozens of blocks back." |f| of_heap(f, |h| h.flushes);
    sum "uncached_operations" "" "Calls by threads without a cache." |f| of_heap(f, |h| h.uncached);
    sum "page_faults_minor" "" "Page faults that needed no disk." |f| Some(f.process.faults[0] as f64);
    sum "page_faults_major" "" "Page faults that waited for a disk." |f| Some(f.process.faults[1] as f64);
    sum "cpu" "seconds" "Processor time." |f| Some(f.process.ticks as f64 / rustix::param::clock_ticks_per_second().max(1) as f64);
};

/// Its name, unit and help, and its value.
type OfClass = (&'static str, &'static str, &'static str, fn(&SizeClass) -> u64);

const BY_CLASS: [OfClass; 4] = [
    ("class_live", "bytes", "In live blocks of this size.", |c| c.bytes * c.objects),
    ("class_kept", "bytes", "In blocks of this size that threads keep.", |c| c.bytes * c.kept),
    ("class_free", "bytes", "Free in slabs of this size.", SizeClass::free),
    ("class_slabs", "", "Slabs of this size.", |c| c.slabs),
];

pub fn text(all: &[Figures]) -> String {
    let mut out = String::new();
    // The family is called without what its samples end with.
    out += "# TYPE heapwright info\n# HELP heapwright Which malloc a process has.\n";
    for figures in all {
        let (design, version) = figures.malloc.clone().unwrap_or_default();
        let labels =
            format!("{},malloc=\"{}\",version=\"{version}\"", labels(figures), escaped(&design));
        let _ = writeln!(out, "heapwright_info{{{labels}}} 1");
    }
    for metric in &METRICS {
        let kind = if metric.is_sum { "counter" } else { "gauge" };
        head(&mut out, metric.name, metric.unit, kind, metric.help);
        let name = name(metric.name, metric.unit);
        let total = if metric.is_sum { "_total" } else { "" };
        for (figures, value) in all.iter().filter_map(|f| Some((f, (metric.value)(f)?))) {
            let _ = writeln!(out, "{name}{total}{{{}}} {value}", labels(figures));
        }
    }
    for (metric, unit, help, value) in BY_CLASS {
        head(&mut out, metric, unit, "gauge", help);
        let name = name(metric, unit);
        for figures in all {
            let sizes = figures.heap.iter().flat_map(|heap| &heap.sizes);
            for size in sizes {
                let labels = labels(figures);
                let _ = writeln!(out, "{name}{{{labels},size=\"{}\"}} {}", size.bytes, value(size));
            }
        }
    }
    out + "# EOF\n"
}

fn name(name: &str, unit: &str) -> String {
    let unit = if unit.is_empty() { String::new() } else { format!("_{unit}") };
    format!("heapwright_{name}{unit}")
}

fn head(out: &mut String, metric: &str, unit: &str, kind: &str, help: &str) {
    let name = name(metric, unit);
    let _ = writeln!(out, "# TYPE {name} {kind}");
    if !unit.is_empty() {
        let _ = writeln!(out, "# UNIT {name} {unit}");
    }
    let _ = writeln!(out, "# HELP {name} {help}");
}

fn labels(figures: &Figures) -> String {
    let command = figures.process.command.first().map_or("", String::as_str);
    let file = Path::new(command)
        .file_name()
        .map_or_else(|| command.into(), |name| name.to_string_lossy());
    format!("process=\"{}\",command=\"{}\"", figures.process.pid, escaped(&file))
}

/// A label's value: a backslash, a quote and a line's end are written with a backslash.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::{Process, Program};

    fn figures() -> Figures {
        let process = Process {
            pid: 12,
            command: vec!["/a/b\"c\\\nd".to_owned()],
            resident: 4096,
            faults: [7, 1],
            ..Process::default()
        };
        let size = SizeClass { bytes: 64, objects: 5, kept: 2, room: 256, slabs: 1 };
        let heap = Heap { live: 320, sizes: vec![size], ..Heap::default() };
        let malloc = Some(("heapwright".to_owned(), "0.1.0".to_owned()));
        Figures {
            process,
            malloc,
            program: Program::Dynamic,
            heap: Some(heap),
            when: Instant::now(),
        }
    }

    #[test]
    fn each_family_has_its_head_once_and_the_text_an_end() {
        let text = text(&[figures(), figures()]);
        let name = r#"process="12",command="b\"c\\\nd""#;
        for line in [
            format!("heapwright_live_bytes{{{name}}} 320"),
            format!("heapwright_page_faults_minor_total{{{name}}} 7"),
            format!("heapwright_class_free_bytes{{{name},size=\"64\"}} {}", 64 * 249),
            format!("heapwright_info{{{name},malloc=\"heapwright\",version=\"0.1.0\"}} 1"),
            "# TYPE heapwright info".to_owned(),
            "# TYPE heapwright_given_back_bytes counter".to_owned(),
            "# UNIT heapwright_live_bytes bytes".to_owned(),
        ] {
            let times = text.lines().filter(|l| **l == line).count();
            assert_eq!(times, if line.starts_with('#') { 1 } else { 2 }, "{line}\n{text}");
        }
        assert!(text.ends_with("\n# EOF\n") && !text.contains("\n\n"));
    }

    #[test]
    fn what_is_not_known_is_left_out() {
        let text = text(&[Figures { heap: None, malloc: None, ..figures() }]);
        assert!(
            !text.contains("heapwright_live_bytes{") && text.contains("heapwright_resident_bytes{")
        );
    }
}

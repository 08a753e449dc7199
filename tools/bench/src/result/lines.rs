//! JSON with one line for each field of the whole and for each element of its lists: a workload, a run.
//!
//! Short enough to be kept, as a run has twenty numbers; and two results still show line by line where they differ.

use std::io;

use serde::Serialize;
use serde::ser::Error as _;
use serde_json::ser::{Formatter, Serializer};

/// What is deeper stands on one line.
const BROKEN: usize = 2;

/// `value` as text.
pub(super) fn text(value: &impl Serialize) -> serde_json::Result<String> {
    let mut out = Vec::new();
    value.serialize(&mut Serializer::with_formatter(&mut out, Lines::default()))?;
    String::from_utf8(out).map_err(serde_json::Error::custom)
}

/// Where the writer is.
#[derive(Default)]
struct Lines {
    /// How many lists and objects are open.
    depth: usize,
    /// Whether the innermost of them has anything in it.
    filled: bool,
}

impl Lines {
    fn open<W: ?Sized + io::Write>(&mut self, out: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth += 1;
        self.filled = false;
        out.write_all(bracket)
    }

    fn next<W: ?Sized + io::Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.filled = true;
        if !first {
            out.write_all(b",")?;
        }
        if self.depth <= BROKEN { self.end_line(out) } else { Ok(()) }
    }

    fn close<W: ?Sized + io::Write>(&mut self, out: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth -= 1;
        if self.filled && self.depth < BROKEN {
            self.end_line(out)?;
        }
        // What encloses it has at least this.
        self.filled = true;
        out.write_all(bracket)
    }

    fn end_line<W: ?Sized + io::Write>(&self, out: &mut W) -> io::Result<()> {
        write!(out, "\n{:1$}", "", 2 * self.depth)
    }
}

impl Formatter for Lines {
    fn begin_array<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.open(out, b"[")
    }

    fn begin_array_value<W: ?Sized + io::Write>(
        &mut self,
        out: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.next(out, first)
    }

    fn end_array<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.close(out, b"]")
    }

    fn begin_object<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.open(out, b"{")
    }

    fn begin_object_key<W: ?Sized + io::Write>(
        &mut self,
        out: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.next(out, first)
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(if self.depth <= BROKEN { b": " } else { b":" })
    }

    fn end_object<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.close(out, b"}")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::result::Report;
    use crate::testing;

    #[test]
    fn what_is_deep_stands_on_one_line_and_nothing_is_lost() {
        let value = json!({
            "a": [], "b": {}, "c": [1, [], {}, [[2]]], "d": {"x": {"y": [3, 4]}}, "e": "\n{[",
        });
        let text = text(&value).unwrap();
        let lines = [
            "{",
            "  \"a\": [],",
            "  \"b\": {},",
            "  \"c\": [",
            "    1,",
            "    [],",
            "    {},",
            "    [[2]]",
            "  ],",
            "  \"d\": {",
            "    \"x\": {\"y\":[3,4]}",
            "  },",
            "  \"e\": \"\\n{[\"",
            "}",
        ];
        assert_eq!(text.lines().collect::<Vec<_>>(), lines);
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
    }

    #[test]
    fn a_result_has_a_line_for_each_workload_and_run_and_is_read_back_as_it_was() {
        let report = testing::rounds(&["larson", "cfrac"], 3, |_, _| 0.25);
        let text = report.to_json().unwrap();
        let with = |what: &str| text.lines().filter(|line| line.contains(what)).count();
        assert_eq!((with("\"cells\""), with("\"wall_ns\"")), (2, 2 * 4 * 4));
        let back = Report::from_json(&text).unwrap();
        assert_eq!(back.runs, report.runs);
        assert_eq!(back.to_json().unwrap(), text);
        let plain = serde_json::to_value(&report).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), plain);
    }
}

//! JSON with one line for each field of the whole and for each element of its lists: a workload, a run.
//!
//! Short enough to be kept, as a run has twenty numbers; and two results still show line by line where they differ.

use serde::Serialize;

/// `value` as text: what stands deeper than the elements of a field is put on the element's own line.
pub(super) fn text(value: &impl Serialize) -> serde_json::Result<String> {
    let mut text = String::new();
    for line in serde_json::to_string_pretty(value)?.lines() {
        let inner = line.trim_start();
        match line.len() - inner.len() {
            4 if !inner.starts_with(['}', ']']) => text += &format!("\n{line}"),
            0 | 2 => text += &format!("\n{line}"),
            _ => text += inner,
        }
    }
    Ok(text.split_off(1))
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
            "    \"x\": {\"y\": [3,4]}",
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

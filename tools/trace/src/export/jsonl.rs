//! An object of JSON a line.

use std::io::Write;

use super::table::{Rows, Table, Value, failed};
use crate::error::TraceError;

pub(super) struct Jsonl {
    table: &'static Table,
    out: Box<dyn Write + Send>,
    line: Vec<u8>,
}

impl Jsonl {
    pub(super) fn new(table: &'static Table, out: Box<dyn Write + Send>) -> Self {
        Self { table, out, line: Vec::new() }
    }
}

impl Rows for Jsonl {
    fn row(&mut self, values: &[Value<'_>]) -> Result<(), TraceError> {
        self.line.clear();
        for (column, ((name, _), value)) in self.table.columns.iter().zip(values).enumerate() {
            self.line.extend_from_slice(if column == 0 { b"{\"" } else { b",\"" });
            self.line.extend_from_slice(name.as_bytes());
            self.line.extend_from_slice(b"\":");
            let put = match *value {
                Value::None => self.line.write_all(b"null"),
                Value::Number(number) => write!(self.line, "{}", Value::number(number)),
                Value::Text(text) => {
                    serde_json::to_writer(&mut self.line, text).map_err(Into::into)
                }
            };
            put.map_err(failed(self.table))?;
        }
        self.line.extend_from_slice(b"}\n");
        self.out.write_all(&self.line).map_err(failed(self.table))
    }

    fn finish(mut self: Box<Self>) -> Result<(), TraceError> {
        self.out.flush().map_err(failed(self.table))
    }
}

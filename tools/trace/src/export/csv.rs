//! Comma-separated values.

use std::io::{self, Write};

use super::table::{Rows, Table, Value, failed};
use crate::error::TraceError;

pub(super) struct Csv {
    table: &'static Table,
    out: Box<dyn Write + Send>,
    line: Vec<u8>,
}

impl Csv {
    pub(super) fn new(
        table: &'static Table,
        out: Box<dyn Write + Send>,
    ) -> Result<Self, TraceError> {
        let mut csv = Self { table, out, line: Vec::new() };
        let names: Vec<Value<'_>> =
            table.columns.iter().map(|(name, _)| Value::Text(name)).collect();
        csv.row(&names)?;
        Ok(csv)
    }
}

impl Rows for Csv {
    fn row(&mut self, values: &[Value<'_>]) -> Result<(), TraceError> {
        self.line.clear();
        for (column, value) in values.iter().enumerate() {
            if column > 0 {
                self.line.push(b',');
            }
            put(&mut self.line, *value).map_err(failed(self.table))?;
        }
        self.line.push(b'\n');
        self.out.write_all(&self.line).map_err(failed(self.table))
    }

    fn finish(mut self: Box<Self>) -> Result<(), TraceError> {
        self.out.flush().map_err(failed(self.table))
    }
}

fn put(line: &mut Vec<u8>, value: Value<'_>) -> io::Result<()> {
    match value {
        Value::None => Ok(()),
        Value::Number(number) => write!(line, "{}", Value::number(number)),
        // Engines read a line a row: a name that has an end of line in it would be two.
        Value::Text(text) if text.contains([',', '"', '\n', '\r']) => {
            let text = text.replace('"', "\"\"").replace(['\n', '\r'], " ");
            write!(line, "\"{text}\"")
        }
        Value::Text(text) => line.write_all(text.as_bytes()),
    }
}

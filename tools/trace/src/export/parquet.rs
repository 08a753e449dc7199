//! Apache Parquet, as much of it as our tables need: numbers of 64 bits and texts, any of which may be missing.
//!
//! ```text
//! PAR1 │ rows 0 to 262,143:  column 0 │ column 1 │ …  │ the next rows … │ what is where │ its length │ PAR1
//! column:  head of a page │ zstd( which values are there │ the values that are )
//! ```
//!
//! One page a column and group of rows, values as they are ("plain"), compressed. A text that repeats, such as a trace's name,
//! costs next to nothing then.

#![expect(
    clippy::cast_possible_truncation,
    reason = "a group of rows is small: its lengths fit into the 32 bits that the format has"
)]

mod thrift;

use std::io::Write;

use self::thrift::Struct;
use super::table::{Kind, Rows, Table, Value, failed};
use crate::error::TraceError;

/// Rows that are written together: some 10 MB are gathered before.
const GROUP: usize = 256 << 10;
const MAGIC: &[u8] = b"PAR1";
const LEVEL: i32 = 3;

/// The format's numbers of what we use of it.
const INT64: i64 = 2;
const BYTE_ARRAY: i64 = 6;
const OPTIONAL: i64 = 1;
const UTF8: i64 = 0;
const PLAIN: i64 = 0;
const RLE: i64 = 3;
const ZSTD: i64 = 6;
const DATA_PAGE: i64 = 0;

/// The values of a column that wait for their group to be full.
#[derive(Debug, Default)]
struct Column {
    there: Vec<bool>,
    values: Vec<u8>,
}

/// A column's page in the file.
#[derive(Debug)]
struct Chunk {
    at: u64,
    rows: usize,
    compressed: u64,
    plain: u64,
}

pub(super) struct Parquet {
    table: &'static Table,
    out: Box<dyn Write + Send>,
    at: u64,
    columns: Vec<Column>,
    groups: Vec<Vec<Chunk>>,
}

impl Parquet {
    pub(super) fn new(
        table: &'static Table,
        out: Box<dyn Write + Send>,
    ) -> Result<Self, TraceError> {
        let columns = table.columns.iter().map(|_| Column::default()).collect();
        let mut parquet = Self { table, out, at: 0, columns, groups: Vec::new() };
        parquet.write(MAGIC)?;
        Ok(parquet)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), TraceError> {
        self.at += bytes.len() as u64;
        self.out.write_all(bytes).map_err(failed(self.table))
    }

    fn end_group(&mut self) -> Result<(), TraceError> {
        let mut columns = core::mem::take(&mut self.columns);
        let chunks: Result<Vec<Chunk>, TraceError> =
            columns.iter_mut().map(|column| self.page(column)).collect();
        self.columns = columns;
        self.groups.push(chunks?);
        Ok(())
    }

    /// Writes a column's values, and forgets them.
    fn page(&mut self, column: &mut Column) -> Result<Chunk, TraceError> {
        let levels = levels(&column.there);
        let mut plain = (levels.len() as u32).to_le_bytes().to_vec();
        plain.extend(levels);
        plain.append(&mut column.values);
        let packed = zstd::bulk::compress(&plain, LEVEL).map_err(failed(self.table))?;
        let rows = core::mem::take(&mut column.there).len();
        let values =
            Struct::new().number(1, rows as i64).number(2, PLAIN).number(3, RLE).number(4, RLE);
        let head = Struct::new()
            .number(1, DATA_PAGE)
            .number(2, plain.len() as i64)
            .number(3, packed.len() as i64)
            .part(5, values)
            .finish();
        let at = self.at;
        self.write(&head)?;
        self.write(&packed)?;
        let plain = (head.len() + plain.len()) as u64;
        Ok(Chunk { at, rows, compressed: self.at - at, plain })
    }

    /// What is where.
    fn foot(&self) -> Vec<u8> {
        let root = Struct::new().text(4, "schema").number(5, self.table.columns.len() as i64);
        let columns = self.table.columns.iter().map(|(name, kind)| {
            let column = Struct::new();
            match kind {
                Kind::Number => column.number(1, INT64).number(3, OPTIONAL).text(4, name),
                Kind::Text => {
                    column.number(1, BYTE_ARRAY).number(3, OPTIONAL).text(4, name).number(6, UTF8)
                }
            }
        });
        let schema = core::iter::once(root).chain(columns).collect();
        let groups = self.groups.iter().map(|chunks| self.group(chunks)).collect();
        let rows: usize = self.groups.iter().map(|chunks| chunks[0].rows).sum();
        Struct::new()
            .number(1, 1)
            .list(2, schema)
            .long(3, rows as i64)
            .list(4, groups)
            .text(6, concat!("heapwright ", env!("CARGO_PKG_VERSION")))
            .finish()
    }

    fn group(&self, chunks: &[Chunk]) -> Struct {
        let columns = self.table.columns.iter().zip(chunks).map(|((name, kind), chunk)| {
            let about = Struct::new()
                .number(1, if *kind == Kind::Number { INT64 } else { BYTE_ARRAY })
                .numbers(2, &[PLAIN, RLE])
                .texts(3, &[name])
                .number(4, ZSTD)
                .long(5, chunk.rows as i64)
                .long(6, chunk.plain as i64)
                .long(7, chunk.compressed as i64)
                .long(9, chunk.at as i64);
            Struct::new().long(2, chunk.at as i64).part(3, about)
        });
        let bytes: u64 = chunks.iter().map(|chunk| chunk.plain).sum();
        Struct::new()
            .list(1, columns.collect())
            .long(2, bytes as i64)
            .long(3, chunks[0].rows as i64)
    }
}

impl Rows for Parquet {
    fn row(&mut self, values: &[Value<'_>]) -> Result<(), TraceError> {
        for (column, value) in self.columns.iter_mut().zip(values) {
            column.there.push(*value != Value::None);
            match *value {
                Value::None => {}
                Value::Number(number) => {
                    column.values.extend(Value::number(number).to_le_bytes());
                }
                Value::Text(text) => {
                    column.values.extend((text.len() as u32).to_le_bytes());
                    column.values.extend(text.as_bytes());
                }
            }
        }
        if self.columns[0].there.len() >= GROUP { self.end_group() } else { Ok(()) }
    }

    fn finish(mut self: Box<Self>) -> Result<(), TraceError> {
        if !self.columns[0].there.is_empty() {
            self.end_group()?;
        }
        let foot = self.foot();
        self.write(&foot)?;
        self.write(&(foot.len() as u32).to_le_bytes())?;
        self.write(MAGIC)?;
        self.out.flush().map_err(failed(self.table))
    }
}

/// Which values are there, as runs: twice the length, then one byte.
fn levels(there: &[bool]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for run in there.chunk_by(|a, b| a == b) {
        thrift::varint(&mut bytes, (run.len() as u64) << 1);
        bytes.push(u8::from(run[0]));
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_counted() {
        assert_eq!(levels(&[true, true, false]), [4, 1, 2, 0]);
        assert_eq!(levels(&[true; 100]), [0xC8, 1, 1]);
        assert!(levels(&[]).is_empty());
    }
}

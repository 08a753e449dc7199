//! Packs a recording and reads it: bytes an event, column by column, steps a second of processor time, and the most memory.
//!
//! `cargo run --release -p heapwright-trace --example measure -- FILE.chunks [FILE.trace]`; `many:100000000` instead of the recording
//! makes one of so many events, with many blocks (`many.rs`).

mod many;

use std::fs;
use std::path::PathBuf;

use trace::{Op, Trace, TraceError};

fn main() -> Result<(), Box<dyn core::error::Error>> {
    let mut args = std::env::args_os().skip(1).map(PathBuf::from);
    let raw = args.next().ok_or("which recording?")?;
    let folder = tempfile::tempdir_in(".")?;
    let asked = raw.to_str().and_then(|asked| asked.strip_prefix("many:")?.parse().ok());
    let raw = match asked {
        Some(events) => many::made(events, &folder.path().join("made.chunks")),
        None => raw,
    };
    // What made the recording is none of the packing's memory.
    fs::write("/proc/self/clear_refs", "5")?;
    let packed = args.next().unwrap_or_else(|| raw.with_extension("trace"));
    let begin = on_processor()?;
    let about = trace::pack(&raw, &packed, &mut |_| {})?.about;
    let events = about.events.max(1) as f64;
    let rate = |begin: f64| Ok::<_, std::io::Error>(events / (on_processor()? - begin) / 1e6);
    println!("{} steps, {} blocks, {} threads", about.events, about.blocks, about.threads.len());
    println!("missing: {:?}", about.missing);
    println!("packing: {:.1} million steps a second, at most {}", rate(begin)?, peak_memory()?);
    let trace = Trace::open(&packed)?;
    let begin = on_processor()?;
    let (steps, bytes) = read(&trace)?;
    println!(
        "reading: {:.1} million steps a second ({steps} steps, {bytes} bytes asked for)",
        rate(begin)?
    );
    println!("raw      {:.3} bytes an event", fs::metadata(&raw)?.len() as f64 / events);
    println!("packed   {:.3} bytes an event", trace.bytes() as f64 / events);
    for (name, bytes) in trace.columns()? {
        println!("  {name:10} {:.3}", bytes as f64 / events);
    }
    Ok(())
}

fn read(trace: &Trace) -> Result<(u64, u64), TraceError> {
    let (mut steps, mut bytes) = (0, 0u64);
    for step in trace.steps() {
        steps += 1;
        if let Op::Allocate { size, .. } | Op::Reallocate { size, .. } = step?.op {
            bytes = bytes.wrapping_add(size);
        }
    }
    Ok((steps, bytes))
}

/// Seconds that this process was on a processor.
fn on_processor() -> std::io::Result<f64> {
    let schedstat = fs::read_to_string("/proc/self/schedstat")?;
    let nanos = schedstat.split(' ').next().and_then(|nanos| nanos.parse::<f64>().ok());
    Ok(nanos.unwrap_or(f64::NAN) / 1e9)
}

/// The most memory that this process has had resident.
fn peak_memory() -> std::io::Result<String> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    Ok(line.unwrap_or("?").trim().to_owned())
}

//! `LineFramer` beside `BufRead::read_until`, which has no limit.

#![allow(missing_docs)]

use std::hint::black_box;
use std::io::{BufRead, BufReader, Read};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use nightcrow_protocol::LineFramer;

const LINES: usize = 10_000;
const READ_BYTES: usize = 8_192;

fn framed(mut source: impl Read) -> usize {
    let (mut framer, mut chunk, mut bytes) = (LineFramer::new(), [0; READ_BYTES], 0);
    loop {
        let read = source.read(&mut chunk).unwrap_or(0);
        if read == 0 {
            return bytes;
        }
        let mut input = &chunk[..read];
        while let Some(line) = framer.next_line(&mut input) {
            bytes += line.bytes().map_or(0, |line| black_box(line).len());
        }
    }
}

fn read_until(source: impl Read) -> usize {
    let (mut reader, mut line, mut bytes) =
        (BufReader::with_capacity(READ_BYTES, source), Vec::new(), 0);
    while reader.read_until(b'\n', &mut line).unwrap_or(0) > 0 {
        bytes += black_box(&line).len() - 1;
        line.clear();
    }
    bytes
}

fn frame(criterion: &mut Criterion) {
    let stream = ("x".repeat(99) + "\n").repeat(LINES).into_bytes();
    assert_eq!(framed(&stream[..]), read_until(&stream[..]));
    let mut group = criterion.benchmark_group("lines_of_100_bytes");
    group.throughput(Throughput::Elements(LINES as u64));
    group.bench_function("line_framer", |bencher| {
        bencher.iter(|| framed(black_box(&stream[..])));
    });
    group.bench_function("read_until", |bencher| {
        bencher.iter(|| read_until(black_box(&stream[..])));
    });
    group.finish();
}

criterion_group!(benches, frame);
criterion_main!(benches);

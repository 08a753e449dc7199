// Writes and reads json, fills Buffers, compresses and hashes them, sorts and matches strings: `node.js N`. V8's objects lie
// in a heap of its own; Buffers, zlib's and OpenSSL's states, the parser's and compiler's memory are malloc's. Deterministic;
// what is read must be what was written.
'use strict';

const assert = require('node:assert/strict');
const { createHash } = require('node:crypto');
const zlib = require('node:zlib');

const n = Number(process.argv[2]);
assert(n > 0, 'usage: node.js N');
let state = 12345;
function number(below) {
  state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
  return (state >>> 8) % below;
}

const kept = [];
let digests = '';
for (let round = 0; round < 3; round++) {
  let total = 0;
  const records = [];
  for (let id = 0; id < n; id++) {
    const amount = number(100000);
    total += amount;
    records.push({ id, amount, name: `customer ${number(9973)}`, tags: Array.from({ length: 1 + number(6) }, () => `t${number(64)}`) });
  }
  const text = JSON.stringify(records);
  const read = JSON.parse(text);
  assert.equal(read.reduce((sum, r) => sum + r.amount, 0), total);

  // Messages as a server has them: each a Buffer, framed, hashed, joined and taken apart.
  const frames = read.map((record) => {
    const body = Buffer.from(JSON.stringify(record));
    const head = Buffer.alloc(8);
    head.writeUInt32LE(body.length, 0);
    head.writeUInt32LE(record.amount, 4);
    return Buffer.concat([head, body]);
  });
  const stream = Buffer.concat(frames);
  let sum = 0;
  let at = 0;
  let messages = 0;
  while (at < stream.length) {
    const length = stream.readUInt32LE(at);
    const body = Buffer.from(stream.subarray(at + 8, at + 8 + length));
    if (messages % 8 === 0) assert.equal(JSON.parse(body.toString('latin1')).amount, stream.readUInt32LE(at + 4));
    sum += stream.readUInt32LE(at + 4);
    at += 8 + length;
    messages++;
  }
  assert.equal(messages, n);
  assert.equal(sum, total);
  // Pages of it, compressed and read again, each with a state of its own.
  for (let page = 0; page < stream.length; page += 1 << 16) {
    const part = stream.subarray(page, page + (1 << 16));
    const packed = zlib.deflateRawSync(part, { level: 1 });
    assert(zlib.inflateRawSync(packed).equals(part));
    digests = createHash('sha256').update(digests).update(packed).digest('hex');
  }

  const groups = new Map();
  for (const record of read) {
    for (const tag of record.tags) {
      if (!groups.has(tag)) groups.set(tag, []);
      groups.get(tag).push(record);
    }
  }
  let lines = '';
  let tags = 0;
  for (const [tag, group] of [...groups].sort(([a], [b]) => (a < b ? -1 : 1))) {
    group.sort((a, b) => a.amount - b.amount || a.id - b.id);
    tags += group.length;
    lines += group.map((r) => `${tag}\t${r.name.toUpperCase()}\t${r.amount}`).join('\n') + '\n';
  }
  assert.equal(lines.match(/^t\d+\tCUSTOMER \d+\t\d+$/gm).length, tags);
  // A part outlives its round, so that memory is never all free again.
  kept.push(...frames.filter((_, i) => i % 16 === round));
}
console.log(kept.length, state, digests.slice(0, 16));

// Worker threads that are started and ended, shared and transferred buffers, zlib, crypto, streams, JSON, big strings.
'use strict';
const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');
const crypto = require('crypto');
const zlib = require('zlib');
const { Readable, pipeline } = require('stream');
const { execFileSync } = require('child_process');
const md5 = (data) => crypto.createHash('md5').update(data).digest('hex');

function churn(seed, rounds) {
  let state = seed >>> 0;
  const draw = (below) => ((state = (Math.imul(state, 1103515245) + 12345) >>> 0) >>> 8) % below;
  const map = new Map();
  for (let i = 0; i < rounds; i++) {
    const key = draw(2000);
    if (draw(3) === 0) map.delete(key);
    else map.set(key, { i, text: 'x'.repeat(draw(300)), buffer: Buffer.alloc(draw(9000), i) });
  }
  const hash = crypto.createHash('sha256');
  for (const [key, value] of [...map].sort((a, b) => a[0] - b[0])) hash.update(`${key}${value.text}`).update(value.buffer);
  return hash.digest('hex');
}

if (!isMainThread) {
  const { n, shared } = workerData;
  const counters = new Int32Array(shared);
  for (let i = 0; i < 5000; i++) Atomics.add(counters, i % counters.length, 1);
  const result = churn(n + 1, process.env.HEAPWRIGHT_WHOLE ? 12000 : 4000);
  const packed = zlib.deflateSync(Buffer.from(result.repeat(200)));
  const moved = new Uint8Array(100000).fill(n);
  parentPort.postMessage({ n, result, back: zlib.inflateSync(packed).length, moved }, [moved.buffer]);
} else {
  main().then(() => console.log('done'), (error) => { console.error(error); process.exit(1); });
}

async function main() {
  const shared = new SharedArrayBuffer(64);
  for (let wave = 0; wave < 2; wave++) {
    const answers = await Promise.all([...Array(4).keys()].map((n) => new Promise((resolve, reject) => {
      const worker = new Worker(__filename, { workerData: { n: n + wave, shared } });
      let answer;
      worker.on('message', (message) => { answer = message; });
      worker.on('error', reject);
      worker.on('exit', (code) => (code === 0 ? resolve(answer) : reject(new Error(`exit ${code}`))));
    })));
    for (const { n, result, back, moved } of answers) console.log('worker', n, result, back, moved.reduce((a, b) => a + b));
  }
  console.log('shared', new Int32Array(shared).reduce((a, b) => a + b));
  // Ended in the middle of its work: its isolate is torn down with everything in it.
  const endless = new Worker('let kept = []; setInterval(() => kept.push(Buffer.alloc(5000), "x".repeat(3000)), 0)', { eval: true });
  await new Promise((resolve) => endless.once('online', resolve));
  console.log('terminated', await endless.terminate());

  const keys = await Promise.all([...Array(16).keys()].map((n) => new Promise((resolve, reject) =>
    crypto.pbkdf2(`password ${n}`, 'salt', 2000, 64, 'sha512', (error, key) => (error ? reject(error) : resolve(key))))));
  console.log('pbkdf2', md5(Buffer.concat(keys)));
  const zipped = await Promise.all([...Array(16).keys()].map((n) => new Promise((resolve, reject) =>
    zlib.gzip(Buffer.alloc(200000, `text ${n} `), (error, data) => (error ? reject(error) : resolve(data))))));
  console.log('gzip', md5(Buffer.concat(zipped.map((data) => zlib.gunzipSync(data)))));
  const lines = function* () { for (let i = 0; i < 20000; i++) yield `line ${i} ${'y'.repeat(i % 70)}\n`; };
  const hash = crypto.createHash('md5');
  await new Promise((resolve, reject) => pipeline(Readable.from(lines()), zlib.createBrotliCompress({
    params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } }), zlib.createBrotliDecompress(), hash, (error) => (error ? reject(error) : resolve())));
  console.log('stream', hash.digest('hex'));
  const tree = JSON.parse(JSON.stringify([...Array(20000).keys()].map((i) => ({ i, half: i / 2, list: Array(i % 7).fill(`${i}`) }))));
  console.log('json', md5(JSON.stringify(tree)));
  console.log('pattern', 'ab'.repeat(50000).replace(/(a)(b)/g, '$2$1').length, BigInt(3) ** BigInt(5000) % BigInt(1000007));
  console.log('child', execFileSync(process.execPath, ['-p', '6 * 7']).toString().trim());
}

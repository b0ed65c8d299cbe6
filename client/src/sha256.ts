/**
 * SHA-256 (FIPS 180-4), synchronous and without imports: browsers offer it only as a promise
 * (`crypto.subtle`), and a UID is needed at once. For short messages such as a node's type and key,
 * not for files.
 */
export function sha256(message: Uint8Array): Uint8Array {
  const state = Uint32Array.from(INITIAL_STATE);
  const schedule = new Uint32Array(64);
  const padded = pad(message);
  for (let block = 0; block < padded.byteLength; block += BLOCK_BYTES) {
    for (let i = 0; i < 16; i++) schedule[i] = padded.getUint32(block + 4 * i);
    compress(state, schedule);
  }
  const digest = new DataView(new ArrayBuffer(32));
  for (const [i, word] of state.entries()) digest.setUint32(4 * i, word);
  return new Uint8Array(digest.buffer);
}

const BLOCK_BYTES = 64;
/** The length of the message in bits ends the last block. */
const LENGTH_BYTES = 8;

/** The message, a one bit, zeros, and the length in bits: a whole number of blocks. */
function pad(message: Uint8Array): DataView {
  const blocks = Math.ceil((message.length + 1 + LENGTH_BYTES) / BLOCK_BYTES);
  const padded = new Uint8Array(blocks * BLOCK_BYTES);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - LENGTH_BYTES, BigInt(message.length) * 8n);
  return view;
}

function compress(state: Uint32Array, w: Uint32Array): void {
  for (let i = 16; i < 64; i++) {
    const w15 = w[i - 15]!;
    const w2 = w[i - 2]!;
    const s0 = rotateRight(w15, 7) ^ rotateRight(w15, 18) ^ (w15 >>> 3);
    const s1 = rotateRight(w2, 17) ^ rotateRight(w2, 19) ^ (w2 >>> 10);
    w[i] = w[i - 16]! + s0 + w[i - 7]! + s1;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let i = 0; i < 64; i++) {
    const sum1 = rotateRight(e, 6) ^ rotateRight(e, 11) ^ rotateRight(e, 25);
    const choice = (e & f) ^ (~e & g);
    const t1 = (h + sum1 + choice + ROUND_CONSTANTS[i]! + w[i]!) | 0;
    const sum0 = rotateRight(a, 2) ^ rotateRight(a, 13) ^ rotateRight(a, 22);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + sum0 + majority) | 0;
  }
  const words = [a, b, c, d, e, f, g, h];
  for (const [i, word] of words.entries()) state[i] = state[i]! + word;
}

function rotateRight(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

const PRIMES = firstPrimes(64);
/** The first 32 bits of the fractional parts of the square roots of the first 8 primes. */
const INITIAL_STATE = PRIMES.slice(0, 8).map((prime) => fractionBits(prime, 2n));
/** The same bits of the cube roots of the first 64 primes. */
const ROUND_CONSTANTS = Uint32Array.from(PRIMES, (prime) => fractionBits(prime, 3n));

function firstPrimes(count: number): number[] {
  const primes: number[] = [];
  for (let n = 2; primes.length < count; n++) {
    if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  }
  return primes;
}

/**
 * floor(2^32 * root(n)) modulo 2^32, by bisection over integers: exact, where floating point would
 * not be.
 */
function fractionBits(n: number, degree: 2n | 3n): number {
  const target = BigInt(n) << (32n * degree);
  let low = 0n;
  let high = BigInt(n) << 32n;
  while (high - low > 1n) {
    const middle = (low + high) >> 1n;
    if (middle ** degree <= target) low = middle;
    else high = middle;
  }
  return Number(low & 0xffff_ffffn);
}

import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { percentile } from './measure.ts';

export interface LoadResult {
  /** How many were answered. */
  readonly requests: number;
  readonly requestsPerSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

export interface Load {
  readonly url: string;
  readonly body: unknown;
  readonly token?: string;
  readonly connections: number;
  readonly seconds: number;
  /**
   * Waits so long between an answer and the next request of a connection; 0 is as fast as it goes.
   */
  readonly pauseMs?: number;
}

/**
 * Sends the same request over and keep-alive connections, one at a time on each. A plain socket and
 * a fixed request, so that the generator takes little of the two cores that it shares with what it
 * measures.
 */
export async function load(options: Load): Promise<LoadResult> {
  if (options.pauseMs === undefined && hasWrk()) return loadWithWrk(options);
  const request = requestBytes(options);
  const until = performance.now() + options.seconds * 1_000;
  const times: number[] = [];
  const started = performance.now();
  await Promise.all(
    Array.from({ length: options.connections }, () =>
      oneConnection(options, request, until, times),
    ),
  );
  const seconds = (performance.now() - started) / 1_000;
  times.sort((a, b) => a - b);
  return {
    requests: times.length,
    requestsPerSecond: times.length / seconds,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
  };
}

function requestBytes({ url, body, token }: Load): Buffer {
  const { pathname, host } = new URL(url);
  const content = JSON.stringify(body);
  const lines = [
    `POST ${pathname} HTTP/1.1`,
    `Host: ${host}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(content)}`,
  ];
  if (token !== undefined) lines.push(`Authorization: Bearer ${token}`);
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${content}`);
}

function oneConnection(
  { url, pauseMs = 0 }: Load,
  request: Buffer,
  until: number,
  times: number[],
): Promise<void> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let sentAt = 0;
    let received = '';
    const send = (): void => {
      sentAt = performance.now();
      socket.write(request);
    };
    socket.setNoDelay(true);
    socket.setEncoding('latin1');
    socket.on('error', reject);
    socket.on('close', () => resolve());
    socket.on('connect', send);
    socket.on('data', (text: string) => {
      received += text;
      const bytes = answerBytes(received);
      if (bytes === undefined || received.length < bytes) return;
      if (!received.startsWith('HTTP/1.1 200')) {
        socket.destroy();
        reject(new Error(`${url} answered ${received.slice(0, 500)}`));
        return;
      }
      const now = performance.now();
      times.push(now - sentAt);
      received = '';
      if (now >= until) socket.end();
      else if (pauseMs > 0) setTimeout(send, pauseMs);
      else send();
    });
  });
}

/** The length of head and body, once the head is there. */
function answerBytes(received: string): number | undefined {
  const head = received.indexOf('\r\n\r\n');
  if (head < 0) return undefined;
  const length = /\r\ncontent-length: (\d+)/i.exec(received)?.[1];
  if (length === undefined)
    throw new Error(`an answer without a length: ${received.slice(0, head)}`);
  return head + 4 + Number(length);
}

/**
 * `wrk` takes a fifth of a core where a generator in JavaScript takes a whole one of the two that
 * it shares with the server.
 */
function hasWrk(): boolean {
  return spawnSync('wrk', ['--version']).error === undefined;
}

async function loadWithWrk({ url, body, token, connections, seconds }: Load): Promise<LoadResult> {
  const script = join(await mkdtemp(join(tmpdir(), 'trellis-wrk-')), 'request.lua');
  const lines = [
    'wrk.method = "POST"',
    `wrk.body = ${JSON.stringify(JSON.stringify(body))}`,
    'wrk.headers["Content-Type"] = "application/json"',
    ...(token === undefined ? [] : [`wrk.headers["Authorization"] = "Bearer ${token}"`]),
  ];
  await writeFile(script, lines.join('\n'));
  const { stdout } = await promisify(execFile)('wrk', [
    '-t1',
    `-c${connections}`,
    `-d${seconds}`,
    '--latency',
    '-s',
    script,
    url,
  ]);
  if (/Non-2xx/.test(stdout)) throw new Error(`${url}: ${stdout}`);
  const rate = Number(/Requests\/sec: +([\d.]+)/.exec(stdout)?.[1]);
  return {
    requests: Number(/^ *(\d+) requests in/m.exec(stdout)?.[1]),
    requestsPerSecond: rate,
    p50: latencyOf(stdout, '50%'),
    p99: latencyOf(stdout, '99%'),
  };
}

/** Milliseconds. */
function latencyOf(report: string, share: string): number {
  const [, value, unit] = new RegExp(`${share} +([\\d.]+)(us|ms|s)`).exec(report) ?? [];
  return Number(value) * (unit === 'us' ? 0.001 : unit === 's' ? 1_000 : 1);
}

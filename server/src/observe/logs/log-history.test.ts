import { open as openFile } from 'node:fs/promises';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { logCounts } from '@trellis/contract/shapes/log.ts';
import { LOG_BLOCK_BYTES, LOG_SEARCH_TIME_MAX_MS } from '#base/limits.ts';
import { openLog } from '../logger.ts';
import { LogFiles } from './log-files.ts';
import { LogHistory } from './log-history.ts';

const LOGS = [
  { name: 'trellis', folder: '', origin: undefined },
  { name: 'replication', folder: 'replication', origin: 'replication' },
] as const;
const START = Date.parse('2026-11-20T23:59:58.000Z');
const ALL = { skip: 0, take: 100 };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trellis-logs-'));
  mkdirSync(join(folder, 'replication'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A server that logs to files, or to memory alone. */
function open({ hasFiles = true, linesMax = 1_000 } = {}) {
  const time = { ms: START };
  const clock = { now: () => time.ms };
  const files = hasFiles ? new LogFiles(folder, LOGS) : undefined;
  const history = new LogHistory({ clock, files, linesMax });
  const options = { level: 'debug', secrets: ['correct horse battery'], clock, history } as const;
  const stderr = { write: () => {} };
  const start = () => {
    const logs = LOGS.map(({ name, folder: below, origin }) =>
      openLog({ ...options, stderr, name, origin, folder: hasFiles ? join(folder, below) : null }),
    );
    const [server, replication] = logs.map(({ logger }) => logger);
    const close = () => Promise.all(logs.map((log) => log.close()));
    return { server: server!, replication: replication!, close };
  };
  return { history, time, start };
}

/** Two days of both logs. */
async function twoDays({ hasFiles = true } = {}) {
  const { history, time, start } = open({ hasFiles });
  const before = start();
  before.server.info({ traceId: 't-1' }, 'begun');
  time.ms += 1_000;
  before.replication.warn('a replica has gone');
  await before.close();
  time.ms += 1_000;
  const after = start();
  after.server.error({ cause: { message: 'Größe "ß" \\ fehlt' } }, 'failed');
  time.ms += 1_000;
  after.server.debug({ password: 'p' }, 'the correct horse battery staple');
  await after.close();
  return { history, time };
}

async function messages(history: LogHistory, query: object = {}): Promise<string[]> {
  return (await history.search({ ...ALL, ...query })).items.map(({ message }) => message);
}

async function download(history: LogHistory, wanted: object = {}): Promise<string[]> {
  const text = (await Array.fromAsync(history.download(wanted))).join('');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line).msg);
}

describe.each([
  ['files', true],
  ['memory', false],
] as const)('in %s', (source, hasFiles) => {
  it('records are found newest first, by what is asked for', async () => {
    const { history } = await twoDays({ hasFiles });
    const redacted = 'the [redacted] staple';
    const found = await history.search(ALL);
    expect(found).toMatchObject({ source, isComplete: true, total: 4, skip: 0, take: 100 });
    expect(found.items[1]).toEqual({
      at: '2026-11-21T00:00:00.000Z',
      level: 'error',
      origin: 'server',
      message: 'failed',
      fields: { cause: { message: 'Größe "ß" \\ fehlt' } },
    });
    expect(await messages(history)).toEqual([redacted, 'failed', 'a replica has gone', 'begun']);
    expect(await messages(history, { level: 'warn' })).toEqual(['failed', 'a replica has gone']);
    expect(await messages(history, { query: 'größe "ß"' })).toEqual(['failed']);
    expect(await messages(history, { query: 'T-1' })).toEqual(['begun']);
    expect(await messages(history, { query: '"ß" \\ f' })).toEqual(['failed']);
    expect(
      await messages(history, { from: '2026-11-20T23:59:59Z', to: '2026-11-21T00:00:00Z' }),
    ).toEqual(['a replica has gone']);
    expect(await messages(history, { from: '2026-11-21T01:00:00+01:00' })).toHaveLength(2);
  });

  it('records are found by where they come from, by endpoint, job and request', async () => {
    const { history, start } = open({ hasFiles });
    const { server, replication, close } = start();
    server.info({ origin: 'endpoint', endpoint: 'a/words', traceId: 't-1' }, 'said by code');
    server.warn({ endpoint: 'a/words"2', traceId: 't-1' }, 'an endpoint failed');
    server.info({ origin: 'job', job: 'j-1' }, 'a job has begun');
    server.info({ data: { endpoint: 'a/words', job: 'j-1', traceId: 't-1' } }, 'deeper');
    replication.info('a replica came');
    await close();
    const found = (query: object) => messages(history, query).then((all) => all.toSorted());
    expect(await found({ origin: 'server' })).toEqual(['an endpoint failed', 'deeper']);
    expect(await found({ origin: 'replication' })).toEqual(['a replica came']);
    expect(await found({ origin: 'endpoint' })).toEqual(['said by code']);
    expect(await found({ endpoint: 'a/words' })).toEqual(['said by code']);
    expect(await found({ endpoint: 'a/words"2' })).toEqual(['an endpoint failed']);
    expect(await found({ endpoint: 'a/' })).toEqual(['an endpoint failed', 'said by code']);
    expect(await found({ endpoint: 'a' })).toEqual([]);
    expect(await found({ job: 'j-1' })).toEqual(['a job has begun']);
    expect(await found({ traceId: 't-1' })).toEqual(['an endpoint failed', 'said by code']);
    expect(await found({ traceId: 't-1', level: 'warn' })).toEqual(['an endpoint failed']);
    expect(await download(history, { origin: 'job' })).toEqual(['a job has begun']);
    const { items } = await history.search({ ...ALL, origin: 'replication' });
    expect(items).toMatchObject([{ origin: 'replication', fields: {} }]);
  });

  it('pages follow one another by their cursors, also within one moment', async () => {
    const { history, time, start } = open({ hasFiles });
    const { server, close } = start();
    for (let record = 0; record < 40; record++) {
      if (record % 7 === 0) time.ms += 1_000;
      server.info(record % 3 === 0 ? 'other' : `record ${record}`);
    }
    await close();
    const wanted = await messages(history, { query: 'record' });
    expect(wanted).toHaveLength(26);
    for (const take of [1, 2, 5, 13, 26, 27]) {
      const found: string[] = [];
      let cursor: string | undefined;
      for (;;) {
        const page = await history.search({ query: 'record', skip: 0, take, cursor });
        found.push(...page.items.map(({ message }) => message));
        if (page.nextCursor === null) break;
        cursor = page.nextCursor;
      }
      expect(found).toEqual(wanted);
    }
  });

  it.each([
    { to: '0000-01-01T00:00:00Z' },
    { from: '0000-01-01T00:00:00+23:59' },
    { from: '9999-12-31T23:59:59.999Z' },
    { from: '9999-12-31T23:59:59-23:59' },
    { from: '0000-01-01T00:00:00Z', to: '9999-12-31T23:59:59-23:59' },
  ])('times at the ends of the calendar are counted as they can be written: %j', async (range) => {
    const { history } = await twoDays({ hasFiles });
    const found = await history.count({ ...range, spans: 3 });
    expect(() => logCounts.parse(found)).not.toThrow();
    expect(found.from < found.to).toBe(true);
  });

  it('records are counted by time and level', async () => {
    const { history, time } = await twoDays({ hasFiles });
    const range = { from: '2026-11-20T23:59:58Z', to: '2026-11-21T00:00:02Z' };
    const found = await history.count({ ...range, spans: 2 });
    const none = { trace: 0, debug: 0, info: 0, warn: 0, error: 0, fatal: 0 };
    expect(found).toEqual({
      source,
      from: '2026-11-20T23:59:58.000Z',
      to: '2026-11-21T00:00:02.000Z',
      spanMs: 2_000,
      isComplete: true,
      countedFrom: '2026-11-20T23:59:58.000Z',
      spans: [
        { at: '2026-11-20T23:59:58.000Z', counts: { ...none, info: 1, warn: 1 } },
        { at: '2026-11-21T00:00:00.000Z', counts: { ...none, debug: 1, error: 1 } },
      ],
    });
    const urgent = await history.count({ ...range, level: 'warn', spans: 4 });
    expect(urgent.spans.map(({ counts }) => counts.warn + counts.error)).toEqual([0, 1, 1, 0]);
    expect(urgent.spans.map(({ counts }) => counts.info)).toEqual([0, 0, 0, 0]);
    time.ms += 1_000;
    const all = await history.count({ spans: 1 });
    expect(all).toMatchObject({ from: range.from.replace('Z', '.000Z'), isComplete: true });
    expect(all.spans).toMatchObject([{ counts: { debug: 1, info: 1, warn: 1, error: 1 } }]);
  });

  it.each(['2026-11-20T23:59:58Z', '2026-11-20T23:59:57Z'])(
    'an end at %s is refused',
    async (to) => {
      const { history } = open({ hasFiles });
      const range = { from: '2026-11-20T23:59:58Z', to };
      const problem = {
        code: 'invalid_request',
        details: { fields: [{ path: 'to', message: 'must be later than "from"' }] },
      };
      await expect(history.search({ ...ALL, ...range })).rejects.toMatchObject(problem);
      await expect(history.count({ ...range, spans: 9 })).rejects.toMatchObject(problem);
      await expect(download(history, range)).rejects.toMatchObject(problem);
    },
  );

  it('pages tell whether there is more', async () => {
    const { history } = await twoDays({ hasFiles });
    expect(await history.search({ skip: 1, take: 2 })).toMatchObject({
      total: 4,
      items: [{ message: 'failed' }, { message: 'a replica has gone' }],
    });
    expect((await history.search({ skip: 0, take: 1 })).total).toBe(2);
    expect((await history.search({ skip: 3, take: 1 })).total).toBe(4);
    expect(await history.search({ skip: 9, take: 1 })).toMatchObject({ total: 4, items: [] });
  });

  it('no secret is found, nor shown', async () => {
    const { history } = await twoDays({ hasFiles });
    for (const query of ['horse', 'correct horse battery', '"p"']) {
      expect(await messages(history, { query })).toEqual([]);
    }
    const everything = (await Array.fromAsync(history.download({}))).join('');
    expect(everything).toContain('[redacted]');
    expect(everything).not.toContain('horse');
  });

  it('a download has every match, oldest first', async () => {
    const { history } = await twoDays({ hasFiles });
    const all = ['begun', 'a replica has gone', 'failed', 'the [redacted] staple'];
    expect(await download(history)).toEqual(all);
    expect(await download(history, { query: 'A' })).toEqual(all);
    expect(await download(history, { query: 'replica' })).toEqual([all[1]]);
    expect(await download(history, { query: 'nothing' })).toEqual([]);
  });
});

describe('log files', () => {
  it('are listed newest first, with their times; others are none', async () => {
    const { history } = await twoDays();
    writeFileSync(join(folder, 'trellis-2026-11-19.log'), 'torn');
    writeFileSync(join(folder, 'secrets-2026-11-20.log'), '');
    writeFileSync(join(folder, 'trellis-notes.log'), '');
    symlinkSync('/etc/hostname', join(folder, 'trellis-2026-11-18.log'));
    const { source, items } = await history.files();
    expect(source).toBe('files');
    expect(items).toEqual([
      {
        name: 'trellis-2026-11-21.log',
        sizeBytes: expect.any(Number),
        from: '2026-11-21T00:00:00.000Z',
        to: '2026-11-21T00:00:01.000Z',
      },
      expect.objectContaining({ name: 'replication/replication-2026-11-21.log', sizeBytes: 0 }),
      expect.objectContaining({ name: 'trellis-2026-11-20.log', to: '2026-11-20T23:59:58.000Z' }),
      expect.objectContaining({ name: 'replication/replication-2026-11-20.log' }),
      { name: 'trellis-2026-11-19.log', sizeBytes: 4, from: null, to: null },
    ]);
    expect(await messages(history)).toHaveLength(4);
  });

  it('can be chosen; what is none is refused', async () => {
    const { history } = await twoDays();
    const fileNames = ['replication/replication-2026-11-20.log', 'trellis-2026-11-20.log'];
    expect(await download(history, { fileNames })).toEqual(['begun', 'a replica has gone']);
    for (const name of ['../trellis-2026-11-20.log', 'trellis-2020-01-01.log', '/etc/passwd']) {
      await expect(download(history, { fileNames: [name] })).rejects.toMatchObject({
        code: 'log_file_not_found',
      });
    }
  });

  it('are there before the first line is', async () => {
    const files = new LogFiles(join(folder, 'nowhere'), LOGS);
    const history = new LogHistory({ clock: { now: () => START }, files });
    expect(await history.files()).toEqual({ source: 'files', items: [] });
    expect(await messages(history)).toEqual([]);
  });

  it('are searched for so long and no longer', async () => {
    const { history, time } = await twoDays();
    const files = new LogFiles(folder, LOGS);
    let looks = 0;
    const clock = { now: () => time.ms + LOG_SEARCH_TIME_MAX_MS * looks++ };
    const slow = new LogHistory({ clock, files });
    looks = 0;
    const found = await slow.search(ALL);
    expect(found).toMatchObject({ isComplete: false, total: 1 });
    const rest: string[] = [];
    for (let cursor = found.nextCursor; cursor !== null;) {
      const next = await slow.search({ ...ALL, cursor });
      rest.push(...next.items.map(({ message }) => message));
      cursor = next.nextCursor;
    }
    expect(rest).toEqual((await messages(history)).slice(1));
    const range = { from: '2026-11-20T00:00:00Z', to: '2026-11-22T00:00:00Z' };
    expect(await slow.count({ ...range, spans: 2 })).toMatchObject({
      isComplete: false,
      countedFrom: '2026-11-21T00:00:01.000Z',
      spans: [{ counts: { info: 0, warn: 0 } }, { counts: { debug: 1, error: 0 } }],
    });
    expect((await history.search(ALL)).isComplete).toBe(true);
  });
});

it('a page is found in a large file without reading what is before it', async () => {
  const lines = Array.from({ length: 40_000 }, (_, n) => {
    const at = new Date(Date.parse('2026-11-20T00:00:00Z') + n * 1_000).toISOString();
    return `{"level":"info","time":"${at}","msg":"${String(n).padEnd(150, '.')}"}\n`;
  });
  const path = join(folder, 'trellis-2026-11-20.log');
  writeFileSync(path, lines.join(''));
  const { history } = open();
  await using file = await openFile(path);
  const read = vi.spyOn(Object.getPrototypeOf(file) as typeof file, 'read');
  const bytesOf = (calls: readonly unknown[][]) =>
    calls.reduce((sum, [, , length]) => sum + Number(length), 0);
  const cursor = `${Date.parse('2026-11-20T05:00:00Z')}-1`;
  const page = await history.search({ skip: 0, take: 10, cursor });
  expect(page.items[0]).toMatchObject({ at: '2026-11-20T04:59:59.000Z' });
  expect(bytesOf(read.mock.calls)).toBeLessThan(2 * LOG_BLOCK_BYTES);
  read.mockClear();
  const range = { from: '2026-11-20T05:00:00Z', to: '2026-11-20T05:10:00Z' };
  const { spans } = await history.count({ ...range, spans: 1 });
  expect(spans).toMatchObject([{ counts: { info: 600 } }]);
  expect(bytesOf(read.mock.calls)).toBeLessThan(4 * LOG_BLOCK_BYTES);
  read.mockRestore();
});

describe('without files', () => {
  it('there are the last records', async () => {
    const { history, start } = open({ hasFiles: false, linesMax: 2 });
    const { server } = start();
    for (const message of ['one', 'two', 'three']) server.info(message);
    expect(await messages(history)).toEqual(['three', 'two']);
    expect(await history.files()).toEqual({ source: 'memory', items: [] });
    const fileNames = ['trellis-2026-11-20.log'];
    await expect(download(history, { fileNames })).rejects.toMatchObject({
      code: 'log_file_not_found',
    });
  });
});

it('records can be watched as they come, by level and text', async () => {
  const { history, start } = open({ hasFiles: false });
  const { server } = start();
  server.info('before');
  const stop = new AbortController();
  const filter = { level: 'warn', query: 'disk' } as const;
  const batches = history.watch(filter, { after: undefined, signal: stop.signal });
  const seen = batches[Symbol.asyncIterator]();
  const first = (await seen.next()).value;
  expect(first).toMatchObject({ lines: [], dropped: 0 });
  const next = seen.next();
  server.info('the disk is there');
  server.warn('the network is slow');
  server.warn({ freeBytes: 7 }, 'the disk is full');
  expect((await next).value.lines).toEqual([
    {
      sequence: first.sequence + 3,
      at: '2026-11-20T23:59:58.000Z',
      level: 'warn',
      origin: 'server',
      message: 'the disk is full',
      fields: { freeBytes: 7 },
    },
  ]);
  const last = seen.next();
  stop.abort();
  expect((await last).done).toBe(true);
});

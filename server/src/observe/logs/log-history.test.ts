import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LOG_SEARCH_TIME_MAX_MS } from '#base/limits.ts';
import { openLog } from '../logger.ts';
import { LogFiles } from './log-files.ts';
import { LogHistory } from './log-history.ts';

const LOGS = [
  { name: 'trellis', folder: '' },
  { name: 'replication', folder: 'replication' },
];
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
    const logs = LOGS.map(({ name, folder: below }) =>
      openLog({ ...options, stderr, name, folder: hasFiles ? join(folder, below) : null }),
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
    expect((await history.search(ALL)).isComplete).toBe(true);
  });
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
      message: 'the disk is full',
      fields: { freeBytes: 7 },
    },
  ]);
  const last = seen.next();
  stop.abort();
  expect((await last).done).toBe(true);
});

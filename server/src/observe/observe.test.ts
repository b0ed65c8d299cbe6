import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HEALTH_DISK_FREE_BYTES_MIN, LOG_FILE_BYTES_MAX, LOG_FILES_MAX } from '#base/limits.ts';
import { degraded, failed, healthReport, OFF, OK, type Probes, STARTING } from './health.ts';
import { type LogOptions, openLog } from './logger.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trellis-observe-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** In a program of its own: opens a log and returns its logger. */
const OPEN_LOG = `
  import { openLog } from './logger.ts';
  const open = (folder, name) => openLog({
    level: 'info', folder, name, secrets: [], clock: { now: () => 0 },
  }).logger`;

/** A log whose lines the test reads instead of stderr. */
function openTestLog(options: Partial<LogOptions> = {}) {
  const lines: string[] = [];
  const time = { now: Date.UTC(2026, 10, 20, 23, 59, 59) };
  const log = openLog({
    level: 'info',
    folder: null,
    name: 'server',
    secrets: [],
    clock: { now: () => time.now },
    stderr: { write: (line) => void lines.push(line) },
    ...options,
  });
  return { ...log, lines, time };
}

describe('the log', () => {
  it('is JSON lines with level, time and message, from its level up', () => {
    const { logger, lines } = openTestLog({ level: 'warn' });
    logger.info('unheard');
    logger.warn({ traceId: 't-1' }, 'heard');
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { level: 'warn', time: '2026-11-20T23:59:59.000Z', traceId: 't-1', msg: 'heard' },
    ]);
  });

  it('says nothing at level silent', () => {
    const { logger, lines } = openTestLog({ level: 'silent' });
    logger.fatal('unheard');
    expect(lines).toEqual([]);
  });

  it('keeps every kind of secret out', () => {
    const key = 'a "quoted" key\n';
    const { logger, lines } = openTestLog({ secrets: [key, 'short'] });
    const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';
    logger.info(
      {
        user: 'ada',
        body: { password: 'p"w', newPassword: 'x' },
        headers: { cookie: 'c', authorization: 'Basic YQ==' },
      },
      `signed with ${key}, short word kept`,
    );
    logger.error({ err: new Error(`bad token ${token}`), apiKey: 'sk-1', tokens: 3 }, 'refused');
    const text = lines.join('');
    expect(text).not.toContain('quoted');
    expect(text).not.toContain(token);
    const [first, second] = lines.map((line) => JSON.parse(line));
    expect(first).toMatchObject({
      user: 'ada',
      body: { password: '[redacted]', newPassword: '[redacted]' },
      headers: { cookie: '[redacted]', authorization: '[redacted]' },
      msg: 'signed with [redacted], short word kept',
    });
    expect(second).toMatchObject({
      err: { message: 'bad token [redacted]' },
      apiKey: '[redacted]',
      tokens: 3,
    });
  });

  it('writes a file a day besides, and keeps the newest', async () => {
    const old = Array.from({ length: LOG_FILES_MAX }, (_, i) => {
      const day = new Date(Date.UTC(2026, 8, 1 + i)).toISOString().slice(0, 10);
      return `server-${day}.log`;
    });
    const others = ['replication-2020-01-01.log', 'server-notes.log', 'server-x-2020-01-01.log'];
    await Promise.all([...old, ...others].map((name) => writeFile(join(folder, name), '')));
    const { logger, lines, time, close } = openTestLog({ folder });
    logger.info('before midnight');
    time.now += 1_000;
    logger.info('after midnight');
    await close();
    const names = await readdir(folder);
    expect(names).toEqual(expect.arrayContaining(others));
    const kept = names.filter((name) => !others.includes(name)).toSorted();
    expect(kept).toHaveLength(LOG_FILES_MAX);
    expect(kept.slice(0, -2)).toEqual(old.slice(2));
    expect(kept.slice(-2)).toEqual(['server-2026-11-20.log', 'server-2026-11-21.log']);
    const written = await Promise.all(
      kept.slice(-2).map((name) => readFile(join(folder, name), 'utf8')),
    );
    expect(written).toEqual(lines);
  });

  it('goes on in another file when one is full, also after a start', async () => {
    const name = 'server-2026-11-20';
    await writeFile(join(folder, `${name}.log`), 'x'.repeat(99));
    await truncate(join(folder, `${name}.log`), LOG_FILE_BYTES_MAX - 10);
    await writeFile(join(folder, `${name}.9.log`), '');
    await truncate(join(folder, `${name}.9.log`), LOG_FILE_BYTES_MAX - 1);
    await writeFile(join(folder, `${name}.10.log`), 'begun\n');
    await truncate(join(folder, `${name}.10.log`), LOG_FILE_BYTES_MAX - 200);
    const { logger, lines, close } = openTestLog({ folder });
    for (let i = 0; i < 4; i++) logger.info({ i, text: 'y'.repeat(80) }, 'counting');
    await close();
    const sizes = await Promise.all(
      ['.log', '.9.log', '.10.log', '.11.log'].map(async (end) => {
        return (await stat(join(folder, name + end))).size;
      }),
    );
    const [first = ''] = lines;
    expect(sizes.map((size) => size <= LOG_FILE_BYTES_MAX)).toEqual([true, true, true, true]);
    expect(sizes[2]).toBe(LOG_FILE_BYTES_MAX - 200 + first.length);
    expect(await readFile(join(folder, `${name}.11.log`), 'utf8')).toBe(lines.slice(1).join(''));
  });

  it('has each line in the file of its own day, however fast midnight comes and goes', async () => {
    const { logger, lines, time, close } = openTestLog({ folder });
    const midnight = time.now + 1_000;
    for (let i = 0; i < 2_000; i++) {
      // A clock that is set goes back as well.
      time.now = midnight + (i % 7) - 3;
      logger.info({ i }, 'ticking');
    }
    await close();
    for (const day of ['2026-11-20', '2026-11-21']) {
      const text = await readFile(join(folder, `server-${day}.log`), 'utf8');
      const own = lines.filter((line) => line.includes(`"time":"${day}`));
      expect(text.split('\n').toSorted()).toEqual(
        [...own.map((line) => line.trimEnd()), ''].toSorted(),
      );
    }
  });

  it('goes on without a file that cannot be written', async () => {
    await writeFile(join(folder, 'occupied'), '');
    expect(() => openTestLog({ folder: join(folder, 'occupied') })).toThrow(/EEXIST|ENOTDIR/);
    const reported = Promise.withResolvers<void>();
    const lines: string[] = [];
    const log = openTestLog({
      folder,
      name: 'missing/server',
      stderr: {
        write: (line) => {
          lines.push(line);
          if (line.includes('cannot be written')) reported.resolve();
        },
      },
    });
    log.logger.info('heard on stderr');
    await reported.promise;
    log.logger.info('still heard');
    await log.close();
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual([
      'heard on stderr',
      'the log file cannot be written',
      'still heard',
    ]);
  });
});

describe('an exit', () => {
  const exitAfter = (code: string) =>
    spawnSync(
      process.execPath,
      [
        '--input-type=module-typescript',
        '--no-warnings',
        '-e',
        `${OPEN_LOG}; ${code}; process.exit(7)`,
      ],
      { encoding: 'utf8', cwd: import.meta.dirname },
    );

  it.each([
    ['with a file that cannot be written', "open('missing/server').info('heard')"],
    ['before the file is open', "open('server').info('heard')"],
  ])('%s is what the program said it is', (_, code) => {
    const { status, stderr } = exitAfter(code.replace('open(', `open(${JSON.stringify(folder)}, `));
    expect(status).toBe(7);
    expect(
      stderr
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).msg),
    ).toEqual(['heard']);
  });
});

describe('the health report', () => {
  const sources = {
    clock: { now: () => 61_999 },
    startedAt: 1_000,
    version: '26.11.0',
    role: 'primary',
    probes: {},
    storageFault: () => undefined,
    isReady: () => true,
  } as const;

  it('tells memory, disk and readiness', async () => {
    const report = await healthReport({ ...sources, storageFolder: folder });
    expect(report).toMatchObject({
      ready: true,
      uptimeSeconds: 60,
      version: '26.11.0',
      role: 'primary',
    });
    expect(report.memory.rssBytes).toBeGreaterThan(report.memory.heapUsedBytes);
    const { disk } = report;
    expect(disk!.totalBytes).toBeGreaterThan(disk!.freeBytes);
    expect(report.status).toBe(disk!.freeBytes >= HEALTH_DISK_FREE_BYTES_MIN ? 'ok' : 'degraded');
  });

  it('says starting before the graph is loaded', async () => {
    const report = await healthReport({ ...sources, storageFolder: folder, isReady: () => false });
    expect(report).toMatchObject({ status: 'starting', ready: false });
  });

  it('is degraded when the store is to be rewritten', async () => {
    const storageFault = () => 'store_outdated' as const;
    const report = await healthReport({ ...sources, storageFolder: folder, storageFault });
    expect(report.status).toBe('degraded');
    expect(report.parts[1]).toEqual({ name: 'storage', ...degraded('store_outdated') });
  });

  it('is degraded when the storage folder cannot be read', async () => {
    const report = await healthReport({ ...sources, storageFolder: join(folder, 'gone') });
    expect(report).toMatchObject({
      status: 'degraded',
      disk: null,
      parts: [
        { name: 'disk', status: 'failed', reason: 'disk_unreadable' },
        { name: 'storage', status: 'failed', reason: 'folder_not_writable' },
      ],
    });
  });

  it.each([
    ['degraded', degraded('provider_failing')],
    ['degraded', failed('thread_ended')],
    ['ok', STARTING],
    ['ok', OFF],
  ])('is %s when a part is %j', async (status, models) => {
    const probes: Probes = { logs: () => OK, models: () => models };
    const report = await healthReport({ ...sources, storageFolder: folder, probes });
    expect(report.parts.slice(1)).toEqual([
      { name: 'storage', ...OK },
      { name: 'models', ...models },
      { name: 'logs', ...OK },
    ]);
    if (report.parts[0]?.status === 'ok') expect(report.status).toBe(status);
  });
});

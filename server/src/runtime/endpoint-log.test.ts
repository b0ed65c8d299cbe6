import fc from 'fast-check';
import { expect, it } from 'vitest';
import { EndpointLog } from './endpoint-log.ts';
import type { EndpointLogBatch, NewLogLine } from './endpoint-log.ts';
import { ADMIN } from './testing/test-endpoints.ts';

const START_MS = Date.parse('2026-11-20T00:00:00Z');

function open(limits: { linesMax?: number; charactersMax?: number } = {}) {
  const time = { ms: START_MS };
  const log = new EndpointLog({
    clock: { now: () => time.ms },
    redact: (json) => json.replaceAll('s3cret', '[redacted]'),
    ...limits,
  });
  const push = (message: string, more: Partial<NewLogLine> = {}) =>
    log.push({ endpoint: 'a/b', level: 'info', message, data: '', user: null, run: 1, ...more });
  const messages = (query: object = {}) =>
    log.list(ADMIN, { skip: 0, take: 1_000, ...query }).items.map(({ message }) => message);
  return { log, push, messages, time };
}

/** What a watcher is given until it is told to stop. */
function watch(log: EndpointLog, filter: object = {}, after?: number) {
  const stop = new AbortController();
  const batches = log.watch(ADMIN, filter, { after, signal: stop.signal });
  const next = async (): Promise<EndpointLogBatch> => {
    const { value } = await batches.next();
    if (value === undefined) throw new Error('the watch has ended');
    return value;
  };
  return { stop, batches, next };
}

it('keeps the last lines, by number and by length, and lists them newest first', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 200, max: 1_000 }),
      fc.array(fc.string({ maxLength: 200 }), { maxLength: 60 }),
      (linesMax, charactersMax, texts) => {
        const { push, messages } = open({ linesMax, charactersMax });
        for (const text of texts) push(text);
        let characters = 0;
        const fits = texts.toReversed().filter((text, i) => {
          characters += text.length + 'a/b'.length + 100;
          return i === 0 || (i < linesMax && characters <= charactersMax);
        });
        expect(messages()).toEqual(fits);
      },
    ),
  );
});

it('takes secrets out of messages and data, and finds nothing by them', () => {
  const { log, push, messages } = open();
  push('the s3cret', { data: '{"a":"s3cret"}' });
  expect(messages({ query: 's3c' })).toEqual([]);
  expect(messages({ query: 'the' })).toEqual(['the [redacted]']);
  expect(log.list(ADMIN, { skip: 0, take: 1 }).items).toMatchObject([
    { message: 'the [redacted]', data: { a: '[redacted]' } },
  ]);
});

it('finds lines by endpoint, level, text and time', () => {
  const { push, messages, time } = open();
  push('One', { level: 'debug' });
  time.ms += 1_000;
  push('two', { level: 'error', endpoint: 'a/bc', data: '{"Key":1}' });
  expect(messages({ endpoint: 'a/b' })).toEqual(['One']);
  expect(messages({ endpoint: 'a/' })).toEqual(['two', 'One']);
  expect(messages({ endpoint: 'a' })).toEqual([]);
  expect(messages({ level: 'info' })).toEqual(['two']);
  expect(messages({ query: 'oNE' })).toEqual(['One']);
  expect(messages({ query: 'KEY' })).toEqual(['two']);
  expect(messages({ from: '2026-11-20T00:00:01Z' })).toEqual(['two']);
  expect(messages({ to: '2026-11-20T00:00:01Z' })).toEqual(['One']);
  expect(messages({ skip: 1, take: 1 })).toEqual(['One']);
});

it('a watcher is given what comes, or what came after a line, and what it missed as a number', async () => {
  const { log, push } = open({ linesMax: 3 });
  push('before');
  const live = watch(log);
  const { sequence, lines } = await live.next();
  expect(lines).toEqual([]);
  const next = live.next();
  push('one');
  expect(await next).toMatchObject({ dropped: 0, lines: [{ message: 'one' }] });
  for (const text of ['two', 'three', 'four', 'five', 'six']) push(text);
  const messages = [{ message: 'four' }, { message: 'five' }, { message: 'six' }];
  expect(await live.next()).toMatchObject({ dropped: 2, lines: messages });
  const resumed = await watch(log, { query: 'S' }, sequence).next();
  expect(resumed).toMatchObject({
    dropped: 3,
    lines: [{ message: 'six' }],
    sequence: sequence + 6,
  });
  // A cursor of another server, or made up: what comes next.
  expect(await watch(log, {}, 2 ** 50).next()).toMatchObject({ dropped: 0, lines: [] });
  const fromStart = await watch(log, {}, 0).next();
  expect(fromStart).toMatchObject({ dropped: 4, lines: messages });
});

it('a watch ends when it is told to, and when its time has passed', async () => {
  const { log, push, time } = open();
  const { stop, batches } = watch(log);
  await batches.next();
  const waiting = batches.next();
  stop.abort();
  expect(await waiting).toEqual({ done: true, value: undefined });
  const until = watch(log, { to: '2026-11-20T00:00:01Z' });
  await until.next();
  const next = until.next();
  push('in time');
  expect(await next).toMatchObject({ lines: [{ message: 'in time' }] });
  time.ms += 1_000;
  push('late');
  expect(await until.batches.next()).toEqual({ done: true, value: undefined });
});

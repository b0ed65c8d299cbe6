import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  EMBEDDING_BATCH_CHARACTERS_MAX,
  EMBEDDING_BATCH_TEXTS_MAX,
  EMBEDDING_RETRY_AFTER_MAX_MS,
  EMBEDDING_RETRY_DELAY_MAX_MS,
  EMBEDDING_RETRY_DELAY_MIN_MS,
} from '#base/search-limits.ts';
import { openTestGraph, type TestGraph } from '#graph/testing/test-graph.ts';
import { EmbeddingFailure, type EmbedTexts } from './embed-texts.ts';
import { Embedder } from './embedder.ts';
import { EMBEDDING_TYPE, embeddingKey, readEmbedding } from './embedding-record.ts';
import { Pauses } from './testing/pauses.ts';
import { WaitingTexts } from './testing/waiting-texts.ts';

let graph: TestGraph;
let desk: WaitingTexts;
let pauses: Pauses;
let requests: (readonly string[])[];
let failures: unknown[];
let isConfigured: boolean;
let respond: (texts: readonly string[], signal: AbortSignal) => void | Promise<void>;
let embedder: Embedder;

const vectorOf = (text: string) => Float32Array.of(text.length, text.codePointAt(0) ?? 0);
const busy = (retryAfterMs?: number) => new EmbeddingFailure('busy', 'not now', { retryAfterMs });
const refuse = () => {
  throw new EmbeddingFailure('refused', 'too long');
};

beforeEach(async () => {
  graph = await openTestGraph();
  await graph.writer.addSystemSchema();
  desk = new WaitingTexts();
  pauses = new Pauses();
  requests = [];
  failures = [];
  isConfigured = true;
  respond = () => undefined;
});
afterEach(async () => {
  await embedder[Symbol.asyncDispose]();
  await graph[Symbol.asyncDispose]();
});

function start(): void {
  const provider: EmbedTexts = {
    isConfigured: () => isConfigured,
    embed: async (texts, model, signal) => {
      expect(model).toBe('m');
      requests.push(texts);
      await respond(texts, signal);
      signal.throwIfAborted();
      return texts.map(vectorOf);
    },
  };
  embedder = new Embedder({
    wanted: desk,
    provider,
    commits: graph.writer,
    clock: graph.clock,
    random: () => 1,
    pause: pauses.pause,
    onFailure: (error) => failures.push(error),
  });
}

/** When it asks for more and there is none. */
async function idle(): Promise<void> {
  while (embedder.state.status !== 'idle' || desk.waiting.length > 0) await turn();
  graph.reader.refresh();
}

function embedded(...texts: readonly string[]): boolean[] {
  return texts.map((text) => {
    const vector = readEmbedding(graph.reader, embeddingKey('m', text));
    return (
      vector !== undefined && Buffer.from(vector.buffer).equals(Buffer.from(vectorOf(text).buffer))
    );
  });
}

const numbered = (count: number) => Array.from({ length: count }, (_, i) => `text ${i}`);

describe('what is wanted', () => {
  it('is embedded in batches, each in one commit', async () => {
    const texts = numbered(EMBEDDING_BATCH_TEXTS_MAX + 1);
    desk.add(...texts);
    const before = graph.reader.sequence;
    start();
    await idle();
    expect(new Set(embedded(...texts))).toEqual(new Set([true]));
    expect(requests.map(({ length }) => length)).toEqual([EMBEDDING_BATCH_TEXTS_MAX, 1]);
    expect(graph.reader.sequence).toBeGreaterThan(before);
    expect(embedder.state).toEqual({
      status: 'idle',
      embedded: texts.length,
      refused: 0,
      lastError: null,
      retryAt: null,
    });
    desk.add('later');
    await idle();
    expect(embedded('later')).toEqual([true]);
  });

  it('is asked for in pieces of a bounded number of characters', async () => {
    const half = 'x'.repeat(EMBEDDING_BATCH_CHARACTERS_MAX / 2);
    const texts = [`1${half}`, `2${half}`, 'a', `${half.slice(2)}`, 'b'];
    desk.add(...texts);
    start();
    await idle();
    expect(requests.map((request) => request.map((text) => texts.indexOf(text)))).toEqual([
      [0],
      [1, 2, 3],
      [4],
    ]);
    expect(embedded(...texts)).toEqual(texts.map(() => true));
  });
});

describe('a text that the provider refuses', () => {
  it('does not keep the others from being embedded', async () => {
    respond = (texts) => (texts.some((text) => text.includes('bad')) ? refuse() : undefined);
    const texts = numbered(40);
    const bad = ['bad 1', 'bad 2'];
    desk.add(...texts.slice(0, 7), bad[0]!, ...texts.slice(7, 30), bad[1]!, ...texts.slice(30));
    start();
    await idle();
    expect(new Set(embedded(...texts))).toEqual(new Set([true]));
    expect(embedded(...bad)).toEqual([false, false]);
    expect(desk.refused).toEqual(bad);
    expect(embedder.state).toMatchObject({ embedded: 40, refused: 2, lastError: 'too long' });
    // Halves, not one by one.
    expect(requests.length).toBeLessThan(25);
    expect(desk.asked.at(-1)).toBe(EMBEDDING_BATCH_TEXTS_MAX);
    expect(failures).toEqual([]);
  });

  it('is not to blame when the provider refuses everything', async () => {
    respond = refuse;
    desk.add('a', 'b');
    start();
    await pauses.begun();
    expect(requests.slice(0, 2)).toEqual([['a', 'b'], [expect.any(String)]]);
    expect(desk.refused).toEqual([]);
    expect(desk.waiting.map(({ text }) => text)).toEqual(['a', 'b']);
    expect(embedder.state).toMatchObject({ status: 'waiting', lastError: 'too long' });
  });

  it('is not to blame when there are too many: the next batch is smaller', async () => {
    respond = (texts) => (texts.length > 30 ? refuse() : undefined);
    desk.add(...numbered(2 * EMBEDDING_BATCH_TEXTS_MAX));
    start();
    await idle();
    expect(embedder.state).toMatchObject({ embedded: 2 * EMBEDDING_BATCH_TEXTS_MAX, refused: 0 });
    expect(desk.asked.slice(0, 2)).toEqual([EMBEDDING_BATCH_TEXTS_MAX, 24]);
    // The other half of the texts is embedded at the first try.
    expect(requests.slice(-4).map(({ length }) => length)).toEqual([24, 24, 24, 24]);
    embedder.settingsChanged();
    desk.add('a');
    await idle();
    desk.add('b');
    await idle();
    expect(desk.asked.at(-1)).toBe(EMBEDDING_BATCH_TEXTS_MAX);
  });
});

describe('a provider that is busy', () => {
  it('is asked again, each time after twice as long, and the failure is told once', async () => {
    let isBusy = true;
    respond = () => {
      if (isBusy) throw busy();
    };
    desk.add('a');
    start();
    const lengths: number[] = [];
    for (let i = 0; i < 12; i++) lengths.push(await pauses.pass());
    expect(lengths.slice(0, 3)).toEqual([1, 2, 4].map((x) => x * EMBEDDING_RETRY_DELAY_MIN_MS));
    expect(lengths.at(-1)).toBe(EMBEDDING_RETRY_DELAY_MAX_MS);
    expect(failures).toHaveLength(1);
    await pauses.begun();
    isBusy = false;
    await pauses.pass();
    await idle();
    expect(embedded('a')).toEqual([true]);
    expect(embedder.state).toMatchObject({ lastError: null, retryAt: null });
    isBusy = true;
    desk.add('b');
    expect(await pauses.pass()).toBe(EMBEDDING_RETRY_DELAY_MIN_MS);
    expect(failures).toHaveLength(2);
  });

  it.each([
    [90_000, 90_000],
    [1, EMBEDDING_RETRY_DELAY_MIN_MS],
    [1e12, EMBEDDING_RETRY_AFTER_MAX_MS],
  ])('and asks for %i ms is given %i', async (asked, given) => {
    respond = () => {
      throw busy(asked);
    };
    desk.add('a');
    start();
    await pauses.begun();
    expect(pauses.lengths).toEqual([given]);
    const retryAt = new Date(graph.clock.now() + given).toISOString();
    expect(embedder.state).toMatchObject({ status: 'waiting', retryAt, lastError: 'not now' });
  });

  it('in the middle of a batch keeps what it has given', async () => {
    let isBusy = true;
    respond = (texts) => {
      if (texts.includes('text 0') && texts.length > 3) refuse();
      if (isBusy && texts.includes('text 5')) throw busy();
    };
    desk.add(...numbered(6));
    start();
    await pauses.begun();
    graph.reader.refresh();
    expect(embedded(...numbered(6))).toEqual([true, true, true, false, false, false]);
    expect(desk.waiting.map(({ text }) => text)).toEqual(['text 3', 'text 4', 'text 5']);
    isBusy = false;
    // Other settings end the pause at once.
    embedder.settingsChanged();
    expect(embedder.state.lastError).toBeNull();
    await idle();
    expect(new Set(embedded(...numbered(6)))).toEqual(new Set([true]));
  });
});

describe('other settings', () => {
  it('end a request to a server that hangs', async () => {
    const hanging = Promise.withResolvers<void>();
    respond = (_texts, signal) => {
      respond = () => undefined;
      const { promise, reject } = Promise.withResolvers<void>();
      signal.addEventListener('abort', () => reject(signal.reason));
      hanging.resolve();
      return promise;
    };
    desk.add('a');
    start();
    await hanging.promise;
    expect(embedder.state.status).toBe('working');
    embedder.settingsChanged();
    await idle();
    expect(embedded('a')).toEqual([true]);
    expect(pauses.lengths).toEqual([]);
  });

  it('may bring a provider where there was none', async () => {
    isConfigured = false;
    desk.add('a');
    start();
    await turn();
    expect(embedder.state.status).toBe('off');
    expect([requests, desk.asked]).toEqual([[], []]);
    isConfigured = true;
    embedder.settingsChanged();
    await idle();
    expect(embedded('a')).toEqual([true]);
  });
});

it('goes on when a commit fails', async () => {
  const { writer } = graph;
  const commit = writer.commit.bind(writer);
  writer.commit = () => {
    writer.commit = commit;
    return Promise.reject(new Error('no room'));
  };
  desk.add('a');
  start();
  await pauses.begun();
  expect(embedder.state).toMatchObject({ embedded: 0, lastError: 'no room' });
  embedder.settingsChanged();
  await idle();
  expect(embedded('a')).toEqual([true]);
});

it('ends while it waits, and while it asks', async () => {
  start();
  await embedder[Symbol.asyncDispose]();
  desk.add('a');
  const asked = Promise.withResolvers<void>();
  respond = (_texts, signal) => {
    asked.resolve();
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  };
  start();
  await asked.promise;
  await embedder[Symbol.asyncDispose]();
  expect(desk.waiting.map(({ text }) => text)).toEqual(['a']);
  graph.reader.refresh();
  expect(graph.reader.countOfType(EMBEDDING_TYPE)).toBe(0);
});

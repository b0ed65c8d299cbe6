import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EMBEDDING_ANSWER_BYTES_MAX } from '#base/search-limits.ts';
import { EmbeddingFailure } from '#search/embeddings/embed-texts.ts';
import { EmbeddingServer, wordVector } from '../../../test/support/embedding-server.ts';
import { EmbeddingProvider, type EmbeddingTarget } from './embedding-provider.ts';

const KEY = 'sk-a-key-that-nobody-else-sees';
const NOW = Date.UTC(2026, 10, 21, 12);

let server: EmbeddingServer;
let target: EmbeddingTarget | undefined;
let provider: EmbeddingProvider;
beforeEach(async () => {
  server = await EmbeddingServer.start();
  target = { baseUrl: server.url, apiKey: null };
  provider = newProvider();
});
afterEach(() => server[Symbol.asyncDispose]());

const newProvider = (more: { timeoutMs?: number } = {}) =>
  new EmbeddingProvider({ fetch, clock: { now: () => NOW }, target: () => target, ...more });
const stays = new AbortController().signal;
const embed = (...texts: string[]) => provider.embed(texts, 'm', stays);

async function failure(run: () => Promise<unknown>): Promise<EmbeddingFailure> {
  const error = await run().catch((thrown: unknown) => thrown);
  if (error instanceof EmbeddingFailure) return error;
  throw new Error('expected a failure', { cause: error });
}

function unit(text: string, dimensions = 64): Float32Array {
  const vector = wordVector(text, dimensions);
  const length = Math.hypot(...vector);
  return Float32Array.from(vector, (value) => value / length);
}

function expectVectors(vectors: readonly Float32Array[], ...texts: string[]): void {
  expect(vectors).toHaveLength(texts.length);
  for (const [i, vector] of vectors.entries()) {
    expect(Math.hypot(...vector)).toBeCloseTo(1, 6);
    const wanted = unit(texts[i] ?? '');
    expect(Math.max(...vector.map((value, k) => Math.abs(value - wanted[k]!)))).toBeLessThan(1e-6);
  }
}

describe('vectors', () => {
  it.each(['known', 'ignored', 'refused'] as const)(
    'come of length 1, in the order of the texts, where encoding_format is %s',
    async (format) => {
      server.script.format = format;
      expectVectors(await embed('a cat', 'a dog', 'a house'), 'a cat', 'a dog', 'a house');
      expectVectors(await embed('once more'), 'once more');
      const formats = server.requests.map(({ encodingFormat }) => encodingFormat);
      // A server that refuses it is asked without it from then on.
      const expected = { refused: ['base64', undefined, undefined] };
      expect(formats).toEqual(format === 'refused' ? expected.refused : ['base64', 'base64']);
    },
  );

  it('belong to the texts by their index, whatever their order', async () => {
    server.script.edit = (answer) => ({ data: (answer.data as unknown[]).toReversed() });
    expectVectors(await embed('a cat', 'a dog'), 'a cat', 'a dog');
  });

  it('belong to the texts by their order where there is no index', async () => {
    server.script.edit = ({ data }) => ({
      data: (data as { embedding: unknown }[]).map(({ embedding }) => ({ embedding })),
    });
    expectVectors(await embed('a cat', 'a dog'), 'a cat', 'a dog');
  });

  it('of a text with half a character come like those of others', async () => {
    await embed('cut \ud83d');
    expect(server.texts).toEqual(['cut \ufffd']);
  });

  it('are asked for with the key, and without one when there is none', async () => {
    await embed('a');
    target = { baseUrl: server.url, apiKey: KEY };
    server.script.authorization = `Bearer ${KEY}`;
    await embed('a');
    const sent = server.requests.map(({ authorization }) => authorization);
    expect(sent).toEqual([undefined, `Bearer ${KEY}`]);
    expect(server.requests[1]).toMatchObject({ model: 'm', path: '/v1/embeddings' });
  });
});

describe('an answer that is of no use', () => {
  const item = (embedding: unknown, index: unknown = 0) => ({ index, embedding });
  const bytes = (...values: number[]) =>
    Buffer.from(Float32Array.from(values).buffer).toString('base64');
  it.each([
    ['no JSON', '<html>'],
    ['null', 'null'],
    ['no list', {}],
    ['too few vectors', { data: [item([1, 0])] }],
    ['two vectors of one text', { data: [item([1, 0]), item([1, 0])] }],
    ['a vector of no text', { data: [item([1, 0]), item([1, 0], 2)] }],
    ['an index between two', { data: [item([1, 0]), item([1, 0], 0.5)] }],
    ['different dimensions', { data: [item([1, 0]), item([1, 0, 0], 1)] }],
    ['an empty vector', { data: [item([]), item([], 1)] }],
    ['a missing vector', { data: [item(undefined), item([1], 1)] }],
    ['a zero vector', { data: [item([0, 0]), item([1, 0], 1)] }],
    ['what is no number', { data: [item(['x']), item([1], 1)] }],
    ['what is not finite', { data: [item(bytes(Infinity)), item(bytes(1), 1)] }],
    ['too many dimensions', { data: [item(Array.from({ length: 4097 }, () => 1)), item([1], 1)] }],
  ])('such as %s is a fault of the settings', async (_name, answer) => {
    server.script.edit = () => answer;
    expect((await failure(() => embed('a', 'b'))).reason).toBe('misconfigured');
  });

  it('such as one without end is not read to its end', async () => {
    server.script.fault = { status: 200, body: 'x'.repeat(EMBEDDING_ANSWER_BYTES_MAX + 1) };
    const { reason, message } = await failure(() => embed('a'));
    expect([reason, message]).toEqual(['misconfigured', expect.stringContaining('bytes')]);
  });
});

describe('a failure', () => {
  it.each([
    [400, 'refused'],
    [413, 'refused'],
    [422, 'refused'],
    [401, 'misconfigured'],
    [402, 'misconfigured'],
    [403, 'misconfigured'],
    [404, 'misconfigured'],
    [408, 'busy'],
    [429, 'busy'],
    [500, 'busy'],
    [503, 'busy'],
  ])('with status %i is %s', async (status, reason) => {
    server.script.fault = { status, body: JSON.stringify({ error: { message: 'Not now.' } }) };
    expect((await failure(() => embed('a'))).reason).toBe(reason);
  });

  it('says what the provider says, in any of the shapes in use', async () => {
    const said: string[] = [];
    for (const body of [
      { error: { message: 'one' } },
      { error: 'two' },
      { message: 'three' },
      { detail: 'four' },
      { detail: [{ msg: 'five' }] },
      'six',
    ]) {
      server.script.fault = { status: 404, body: JSON.stringify(body) };
      said.push((await failure(() => embed('a'))).message);
    }
    const answers = 'the provider answers 404';
    const words = ['one', 'two', 'three', 'four'].map((word) => `${answers}: ${word}`);
    expect(said).toEqual([...words, answers, answers]);
  });

  it.each([
    ['7', 7_000],
    [new Date(NOW + 5_000).toUTCString(), 5_000],
    [new Date(NOW - 5_000).toUTCString(), 0],
    ['soon', undefined],
    [undefined, undefined],
  ])('of a busy provider with Retry-After %s waits', async (retryAfter, ms) => {
    const headers = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
    server.script.fault = { status: 429, headers };
    expect((await failure(() => embed('a'))).retryAfterMs).toBe(ms);
  });

  it('never has the key in it, whatever the provider repeats', async () => {
    target = { baseUrl: server.url, apiKey: KEY };
    for (const status of [400, 401, 403, 404, 429, 500]) {
      const message = `the key ${KEY}\nis not known: ${KEY.slice(0, 8)}`;
      server.script.fault = { status, body: JSON.stringify({ error: { message } }) };
      const error = await failure(() => embed('a'));
      expect(JSON.stringify([error, error.message, error.stack, error.cause])).not.toContain(KEY);
      expect(error.message.includes('sk-')).toBe(![401, 403].includes(status));
    }
  });

  it('is that of a server that leads elsewhere: the key goes nowhere else', async () => {
    await using other = await EmbeddingServer.start();
    target = { baseUrl: server.url, apiKey: KEY };
    for (const status of [301, 302, 307, 308]) {
      server.script.fault = { status, headers: { location: `${other.url}/embeddings` } };
      expect((await failure(() => embed('a'))).reason).toBe('misconfigured');
    }
    expect(other.requests).toEqual([]);
  });

  it('is that of a server which is not there', async () => {
    target = { baseUrl: server.url, apiKey: KEY };
    await server[Symbol.asyncDispose]();
    const { reason, message } = await failure(() => embed('a'));
    expect([reason, message]).toEqual(['busy', expect.stringContaining('ECONNREFUSED')]);
    server = await EmbeddingServer.start();
  });

  it('is that of a server which does not answer in time', async () => {
    provider = newProvider({ timeoutMs: 20 });
    server.script.gate = Promise.withResolvers<void>().promise;
    const { reason, message } = await failure(() => embed('a'));
    expect([reason, message]).toEqual(['busy', expect.stringContaining('too long')]);
  });

  it('is that of having no provider', async () => {
    expect(provider.isConfigured()).toBe(true);
    target = undefined;
    expect(provider.isConfigured()).toBe(false);
    expect((await failure(() => embed('a'))).reason).toBe('not-configured');
  });
});

it('rejects with the reason of whoever leaves', async () => {
  server.script.gate = Promise.withResolvers<void>().promise;
  const leaving = new AbortController();
  const asked = provider.embed(['a'], 'm', leaving.signal);
  await server.received(1);
  leaving.abort(new Error('gone'));
  await expect(asked).rejects.toThrow('gone');
});

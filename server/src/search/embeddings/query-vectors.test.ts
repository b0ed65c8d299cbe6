import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EMBEDDING_QUERY_CHARACTERS_MAX } from '#base/search-limits.ts';
import { problemOf } from '#graph/testing/test-graph.ts';
import { EmbeddingFailure } from './embed-texts.ts';
import { QueryVectors } from './query-vectors.ts';

let asked: { text: string; model: string; answer: PromiseWithResolvers<Float32Array> }[];
let vectors: QueryVectors;
beforeEach(() => {
  asked = [];
  open();
});
afterEach(() => vectors[Symbol.dispose]());

function open(more: { timeoutMs?: number; runningMax?: number; keptBytesMax?: number } = {}): void {
  vectors = new QueryVectors({
    ask: (text, model) => {
      const answer = Promise.withResolvers<Float32Array>();
      asked.push({ text, model, answer });
      return answer.promise;
    },
    ...more,
  });
}

const stays = new AbortController().signal;
const vector = (...values: number[]) => Float32Array.from(values);

async function get(text: string, ...values: number[]): Promise<Float32Array> {
  const before = asked.length;
  const found = vectors.of(text, 'm', stays);
  if (asked.length > before) asked.at(-1)!.answer.resolve(vector(...values));
  return found;
}

describe('the vector of a query', () => {
  it('is asked for once, for each model', async () => {
    expect(await get('cat', 1)).toEqual(vector(1));
    expect(await get('cat')).toEqual(vector(1));
    void vectors.of('cat', 'other', stays);
    expect(asked.map(({ text, model }) => [text, model])).toEqual([
      ['cat', 'm'],
      ['cat', 'other'],
    ]);
    asked[1]!.answer.resolve(vector(2));
  });

  it('is that of the beginning of a text that is too long, which is well formed', async () => {
    const head = 'x'.repeat(EMBEDDING_QUERY_CHARACTERS_MAX - 1);
    await get(`${head}\u{1f408} and more`, 1);
    expect(asked[0]!.text).toBe(`${head}\ufffd`);
    await get(`${head}\u{1f408} and others`);
    expect(asked).toHaveLength(1);
  });

  it('is kept as long as there is room, those used last first', async () => {
    open({ keptBytesMax: 2 * (200 + 4) });
    await get('a', 1);
    await get('b', 2);
    await get('a');
    await get('c', 3);
    expect(asked.map(({ text }) => text)).toEqual(['a', 'b', 'c']);
    expect(await get('a')).toEqual(vector(1));
    await get('b', 2);
    expect(asked.map(({ text }) => text)).toEqual(['a', 'b', 'c', 'b']);
  });
});

describe('several who ask for the same', () => {
  it('share one request, which goes on when one leaves', async () => {
    const leaving = new AbortController();
    const first = vectors.of('cat', 'm', leaving.signal);
    const second = vectors.of('cat', 'm', stays);
    expect(asked).toHaveLength(1);
    leaving.abort(new Error('gone'));
    await expect(first).rejects.toThrow('gone');
    asked[0]!.answer.resolve(vector(1));
    expect(await second).toEqual(vector(1));
    await expect(vectors.of('cat', 'm', leaving.signal)).rejects.toThrow('gone');
  });

  it('share its failure, and whoever comes later asks again', async () => {
    const both = [vectors.of('cat', 'm', stays), vectors.of('cat', 'm', stays)];
    asked[0]!.answer.reject(new EmbeddingFailure('busy', 'not now'));
    for (const one of both) {
      await expect(one).rejects.toMatchObject({ code: 'embeddings_unavailable' });
    }
    expect(await get('cat', 1)).toEqual(vector(1));
    expect(asked).toHaveLength(2);
  });
});

describe('a failure', () => {
  const failing = (error: Error) => async () => {
    const found = vectors.of('cat', 'm', stays);
    asked.at(-1)!.answer.reject(error);
    await found;
  };

  it.each([
    ['not-configured', 'embeddings_not_configured'],
    ['refused', 'embeddings_unavailable'],
    ['misconfigured', 'embeddings_unavailable'],
    ['busy', 'embeddings_unavailable'],
  ] as const)('of being %s is %s, without the words of the provider', async (reason, code) => {
    const error = await failing(new EmbeddingFailure(reason, 'the words'))().catch((e) => e);
    expect(error).toMatchObject({ code });
    expect(error.message).not.toContain('the words');
  });

  it('says when to ask again, if the provider does', async () => {
    const failure = new EmbeddingFailure('busy', '', { retryAfterMs: 1_200 });
    expect((await problemOf(failing(failure))).details).toEqual({ retryAfterSeconds: 2 });
  });

  it('of our own is not made into another', async () => {
    await expect(failing(new TypeError('ours'))()).rejects.toThrow(TypeError);
  });

  it('comes when it takes too long', async () => {
    open({ timeoutMs: 10 });
    expect(await problemOf(() => vectors.of('cat', 'm', stays))).toMatchObject({
      code: 'embeddings_unavailable',
    });
  });

  it('comes at once when too many wait, and the next may ask', async () => {
    open({ runningMax: 2 });
    const waiting = [vectors.of('a', 'm', stays), vectors.of('b', 'm', stays)];
    expect(await problemOf(() => vectors.of('c', 'm', stays))).toMatchObject({
      code: 'embeddings_unavailable',
    });
    // They share what runs already.
    waiting.push(vectors.of('a', 'm', stays));
    for (const { answer } of asked) answer.resolve(vector(1));
    await Promise.all(waiting);
    expect(await get('c', 3)).toEqual(vector(3));
  });

  it('comes to all who wait when the server stops', async () => {
    const waiting = vectors.of('cat', 'm', stays);
    vectors[Symbol.dispose]();
    await expect(waiting).rejects.toMatchObject({ code: 'embeddings_unavailable' });
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LLM_ANSWER_BYTES_MAX } from '#base/assistant-limits.ts';
import { problemOf } from '#graph/testing/test-graph.ts';
import { eventsIn, wholeEvents } from './server-events.ts';

async function* cut(text: string, at: readonly number[]): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  const ends = [...at.map((place) => place % (bytes.length + 1)), bytes.length].toSorted(
    (a, b) => a - b,
  );
  let start = 0;
  for (const end of ends) {
    yield bytes.subarray(start, end);
    start = end;
  }
}

async function pieces(chunks: AsyncIterable<Uint8Array>): Promise<string[]> {
  return Array.fromAsync(wholeEvents(chunks));
}

const event = fc
  .record({
    name: fc.option(fc.constantFrom('ping', 'message_stop'), { nil: undefined }),
    data: fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify({ text })),
    newline: fc.constantFrom('\n', '\r\n'),
    blank: fc.constantFrom('', ' '),
  })
  .map(({ name, data, newline, blank }) => ({
    data,
    raw: `${name === undefined ? '' : `event:${blank}${name}${newline}`}data:${blank}${data}${newline}${newline}`,
  }));

describe('events', () => {
  it('are the same wherever the bytes are cut, and come whole', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(event), fc.array(fc.nat()), async (events, at) => {
        const text = events.map(({ raw }) => raw).join('');
        const got = await pieces(cut(text, at));
        expect(got.join('')).toBe(text);
        expect(got.flatMap((piece) => [...eventsIn(piece)])).toEqual(events);
      }),
    );
  });

  it('that are half are not given', async () => {
    const half = 'data: {"a":1}\n\ndata: {"b"';
    expect(await pieces(cut(half, [3, 16]))).toEqual(['data: {"a":1}\n\n']);
    expect(await pieces(cut('data: [DONE]\n', []))).toEqual(['data: [DONE]\n\n']);
  });

  it('of several lines are one, and comments none', () => {
    const text = ': hello\n\ndata: a\ndata: b\n\n';
    expect([...eventsIn(text)].map(({ data }) => data)).toEqual(['a\nb']);
  });

  it('without end are not waited for', async () => {
    const read: number[] = [];
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (let i = 0; ; i++) {
        read.push(i);
        yield Buffer.alloc(1024 * 1024, 'x');
      }
    }
    const problem = await problemOf(() => pieces(endless()));
    expect(problem.code).toBe('llm_misconfigured');
    expect(read).toHaveLength(LLM_ANSWER_BYTES_MAX / (1024 * 1024) + 1);
  });
});

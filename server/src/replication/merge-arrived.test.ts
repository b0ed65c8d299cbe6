import { REPLICATION_CHUNK_RECORDS_MAX } from '#base/replication-limits.ts';
import type { LogRecord } from '#log/commit-log.ts';
import { expect, it } from 'vitest';
import { mergeArrived } from './replica-channel.ts';

function chunkOf(first: number, records: number): LogRecord[] {
  return Array.from({ length: records }, (_, i) => {
    const sequence = first + i;
    return { first: sequence, last: sequence, time: 0, payload: new Uint8Array(1) };
  });
}

/** Chunks that are handed over when the test says so. */
class Source {
  readonly #waiting: (readonly LogRecord[])[] = [];
  #wake = Promise.withResolvers<void>();
  isLeft = false;

  send(chunk: readonly LogRecord[]): void {
    this.#waiting.push(chunk);
    this.#wake.resolve();
  }

  fail(error: Error): void {
    this.#wake.reject(error);
  }

  async *chunks(): AsyncGenerator<readonly LogRecord[]> {
    try {
      for (;;) {
        yield* this.#waiting.splice(0);
        await this.#wake.promise;
        this.#wake = Promise.withResolvers<void>();
      }
    } finally {
      this.isLeft = true;
    }
  }
}

it('hands on a chunk at once, and joins those that came meanwhile', async () => {
  const source = new Source();
  const merged = mergeArrived(source.chunks());
  source.send(chunkOf(1, 2));
  expect((await merged.next()).value).toEqual(chunkOf(1, 2));
  source.send(chunkOf(3, 1));
  source.send(chunkOf(4, 3));
  source.send(chunkOf(7, 1));
  expect((await merged.next()).value).toEqual(chunkOf(3, 5));
});

it('joins no more than a chunk may hold', async () => {
  const source = new Source();
  const size = REPLICATION_CHUNK_RECORDS_MAX / 2;
  for (let i = 0; i < 3; i++) source.send(chunkOf(1 + i * size, size));
  const merged = mergeArrived(source.chunks());
  expect((await merged.next()).value).toEqual(chunkOf(1, 2 * size));
  expect((await merged.next()).value).toEqual(chunkOf(1 + 2 * size, size));
});

it('throws what its source throws, also while nobody waits', async () => {
  const source = new Source();
  const merged = mergeArrived(source.chunks());
  source.send(chunkOf(1, 1));
  await merged.next();
  source.fail(new Error('the connection is gone'));
  await Promise.resolve();
  await expect(merged.next()).rejects.toThrow('the connection is gone');
});

it('can be left while its source has nothing', async () => {
  const source = new Source();
  source.send(chunkOf(1, 1));
  for await (const chunk of mergeArrived(source.chunks())) {
    expect(chunk).toEqual(chunkOf(1, 1));
    break;
  }
  // With the next one its source sees that nobody wants it.
  source.send(chunkOf(2, 1));
  await expect.poll(() => source.isLeft).toBe(true);
});

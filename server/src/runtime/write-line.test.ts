import { expect, it } from 'vitest';
import { Problem } from '#base/problem.ts';
import { BEHIND, type CommitRequest, type LineOutcome } from '#graph/operations.ts';
import { WriteLine } from './write-line.ts';
import { WriteTurns } from './write-turns.ts';

const REQUESTS = ['a', 'b', 'c'].map((key): CommitRequest => ({
  operations: [{ op: 'addOrUpdate', type: 'Book', key }],
}));
const REFUSED = new Problem('write_conflict', 'no', { details: { place: 'n1' } });

class TestLine {
  readonly sent: (readonly CommitRequest[])[] = [];
  readonly again: number[] = [];
  readonly calls = [{}, {}, {}] as const;
  readonly over: Promise<void>;
  readonly line: WriteLine;

  /** `refused`: the place of the request that the writer refuses. */
  constructor(refused = 3) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.over = promise;
    this.line = new WriteLine({
      place: 'n1',
      number: 1,
      calls: this.calls,
      commitLine: async (requests) => {
        this.sent.push(requests);
        return requests.map((_, i): LineOutcome => {
          if (i < refused) return { sequence: 10 + i };
          const problem = i === refused ? REFUSED : behind();
          return { problem: problem.toMessage() };
        });
      },
      onOver: () => resolve(),
    });
    for (const [i, call] of this.calls.entries()) {
      expect(this.line.join(call, () => this.again.push(i))).toBe(true);
    }
  }
}

const behind = (): Problem => new Problem('write_conflict', '', { details: { place: BEHIND } });
const placeOf = (error: unknown): unknown => (error as Problem).details?.['place'];

it('commits all together once each call has ended, and answers those that only read', async () => {
  const { line, calls, sent, over } = new TestLine();
  const ends = [line.end(calls[0], REQUESTS[0]), line.end(calls[1])];
  expect(sent).toEqual([]);
  ends.push(line.end(calls[2], REQUESTS[2]));
  expect(await Promise.all(ends)).toEqual([{ sequence: 10 }, { sequence: 10 }, { sequence: 11 }]);
  expect(sent).toEqual([[REQUESTS[0], REQUESTS[2]]]);
  await over;
});

it('has those run again that are behind one that is refused, also when they only read', async () => {
  const { line, calls } = new TestLine(1);
  const ends = [
    line.end(calls[0], REQUESTS[0]),
    line.end(calls[1], REQUESTS[1]).catch(placeOf),
    line.end(calls[2]).catch(placeOf),
  ];
  expect(await Promise.all(ends)).toEqual([{ sequence: 10 }, 'n1', BEHIND]);
});

it('commits those before one that leaves, and has those behind it run again', async () => {
  const { line, calls, sent, again, over } = new TestLine();
  const first = line.end(calls[0], REQUESTS[0]);
  line.leave(calls[1]);
  expect(await first).toEqual({ sequence: 10 });
  expect([sent, again]).toEqual([[[REQUESTS[0]]], [2]]);
  await over;
  expect(line.join({}, () => {})).toBe(false);
  expect(await line.end(calls[2], REQUESTS[2]).catch(placeOf)).toBe(BEHIND);
});

it('takes nothing of one that has ended behind one that leaves', async () => {
  const { line, calls, sent, over } = new TestLine();
  const last = line.end(calls[2], REQUESTS[2]).catch(placeOf);
  line.leave(calls[0]);
  expect(await last).toBe(BEHIND);
  await over;
  expect(sent).toEqual([]);
});

it('is given to those that wait for the same place, but for one that has its turn alone', async () => {
  const commitLine = async (): Promise<readonly LineOutcome[]> => [];
  const turns = new WriteTurns(undefined, commitLine);
  const [holder, first, alone, second] = [{}, {}, {}, {}];
  await turns.enter('n1', holder, true);
  const waiting = [first, alone, second].map((call) => turns.enter('n1', call, call !== alone));
  turns.leave(holder);
  const [line, , same] = await Promise.all([waiting[0], undefined, waiting[2]]);
  expect(line).toBeInstanceOf(WriteLine);
  expect(same).toBe(line);
  const reads = { points: ['n1'], ranges: [] };
  expect([turns.takenPlace(reads, line ?? {}), turns.takenPlace(reads, alone)]).toEqual([
    undefined,
    'n1',
  ]);
  line?.leave(first);
  line?.leave(second);
  expect(await waiting[1]).toBeUndefined();
});

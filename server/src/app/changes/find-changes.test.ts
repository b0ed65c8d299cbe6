import { afterEach, beforeEach, expect, it } from 'vitest';
import { TRIGGER_STEP_EVENTS_MAX } from '#base/trigger-limits.ts';
import { openTestGraph, type TestGraph } from '#graph/testing/test-graph.ts';
import { logTrimmed } from '#log/log-problem.ts';
import { AppliedSequence } from '#log/applied-sequence.ts';
import type { TriggerLine } from '#tasks/triggers/trigger.ts';
import { CommitWindow } from './commit-window.ts';
import { findChanges } from './find-changes.ts';

const CREATED: TriggerLine = { event: 'created', type: 'Ticket', since: 0 };

let graph: TestGraph;
let applied: AppliedSequence;
beforeEach(async () => {
  graph = await openTestGraph();
  applied = new AppliedSequence();
  await graph.addSchema({
    nodes: [
      { type: 'Ticket', key: 'Number', fields: {} },
      { type: 'Note', key: 'Name', fields: {} },
    ],
  });
});
afterEach(() => graph[Symbol.asyncDispose]());

const registry = () => graph.reader.registry;

async function write(type: string, ...keys: readonly string[]): Promise<number> {
  await graph.write(...keys.map((key) => ({ op: 'addOrUpdate', type, key }) as const));
  applied.publish(graph.log.lastSequence, 1);
  return graph.log.lastSequence;
}

function find(after: number, skip = 0, lines: readonly TriggerLine[] = [CREATED]) {
  const commits = new CommitWindow({ log: graph.log, applied, registry });
  return findChanges(commits, { after, skip, lines }, new AbortController().signal);
}

it('takes a large commit in steps, of which none is left out or comes twice', async () => {
  const begin = await write('Note', 'n');
  const keys = Array.from({ length: 2 * TRIGGER_STEP_EVENTS_MAX + 7 }, (_, i) => `${i}`);
  const end = await write('Ticket', ...keys);
  const found: string[] = [];
  let place = { after: begin, skip: 0 };
  const places = [];
  while (place.after < end) {
    const { events, after, skip } = await find(place.after, place.skip);
    found.push(...events.map(({ key }) => key ?? ''));
    place = { after, skip };
    places.push(place);
  }
  expect(found).toEqual(keys);
  expect(places).toEqual([
    { after: begin, skip: TRIGGER_STEP_EVENTS_MAX },
    { after: begin, skip: 2 * TRIGGER_STEP_EVENTS_MAX },
    { after: end, skip: 0 },
  ]);
});

it('waits for a change that is wanted, and passes over what came before a line', async () => {
  const since = await write('Ticket', '1');
  const asked = find(0, 0, [{ ...CREATED, since }]);
  await write('Note', 'n');
  const sequence = await write('Ticket', '2');
  const { events, after } = await asked;
  expect(events).toMatchObject([{ event: 'created', key: '2', sequence, chain: [] }]);
  expect(after).toBe(sequence);
});

it('says where a log begins that was trimmed', async () => {
  applied.publish(10, 1);
  const read = (from: number): never => {
    throw logTrimmed(from, 5);
  };
  const commits = new CommitWindow({ log: { firstSequence: 5, read }, applied, registry });
  const asked = { after: 0, skip: 0, lines: [CREATED] };
  const found = await findChanges(commits, asked, new AbortController().signal);
  expect(found).toEqual({ events: [], after: 4, skip: 0, isLost: true });
});

it('ends with the reason of its signal', async () => {
  const end = await write('Note', 'n');
  const controller = new AbortController();
  const commits = new CommitWindow({ log: graph.log, applied, registry });
  const asked = findChanges(commits, { after: end, skip: 0, lines: [CREATED] }, controller.signal);
  controller.abort(new Error('enough'));
  await expect(asked).rejects.toThrow('enough');
});

import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Problem } from '#base/problem.ts';
import { scale, seed } from '../../../../test/support/scale.ts';
import { openHeldGraphReader } from '../open-reader.ts';
import type { WriterOperation } from '../operations.ts';
import { runQuery } from '../query/run.ts';
import { StateReader } from '../state-reader.ts';
import { openTestGraph, type TestGraph } from '../testing/test-graph.ts';
import { ReadSet, RecordingReader } from './read-set.ts';
import type { ReadSnapshot, Snapshots } from './snapshots.ts';
import { type DraftedTransaction, firstNewId, TransactionDrafts } from './transaction-draft.ts';

let graph: TestGraph;
let reader: StateReader;
let snapshots: Snapshots;
const drafts = new TransactionDrafts();
beforeAll(async () => {
  graph = await openTestGraph();
  ({ reader, snapshots } = openHeldGraphReader({ storage: graph.storage }));
});
afterAll(async () => {
  reader[Symbol.dispose]();
  await graph[Symbol.asyncDispose]();
});

const KEYS = ['a', 'b', 'c', 'd'];
const SHELVES = ['low', 'high'];
const key = fc.constantFrom(...KEYS);
const shelf = fc.constantFrom(...SHELVES);

type Read =
  | { readonly read: 'get'; readonly key: string }
  | { readonly read: 'out'; readonly key: string }
  | { readonly read: 'shelf'; readonly shelf: string }
  | { readonly read: 'newest' }
  | { readonly read: 'count' };
type Write =
  | { readonly write: 'put'; readonly key: string; readonly shelf: string }
  | { readonly write: 'tryAdd'; readonly key: string }
  | { readonly write: 'delete'; readonly key: string }
  | { readonly write: 'link' | 'unlink'; readonly key: string; readonly to: string };

const read: fc.Arbitrary<Read> = fc.oneof(
  fc.record({ read: fc.constant('get' as const), key }),
  fc.record({ read: fc.constant('out' as const), key }),
  fc.record({ read: fc.constant('shelf' as const), shelf }),
  fc.constant({ read: 'newest' as const }),
  fc.constant({ read: 'count' as const }),
);
const write: fc.Arbitrary<Write> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ write: fc.constant('put' as const), key, shelf }) },
  fc.record({ write: fc.constant('tryAdd' as const), key }),
  fc.record({ write: fc.constant('delete' as const), key }),
  fc.record({ write: fc.constantFrom('link' as const, 'unlink' as const), key, to: key }),
);
/** It reads; what it then writes depends on what it has read. */
const program = fc.record({
  reads: fc.array(read, { maxLength: 3 }),
  writes: fc.array(write, { minLength: 1, maxLength: 3 }),
});
interface Program {
  readonly reads: readonly Read[];
  readonly writes: readonly Write[];
}

/** The graph as the programs see it: `pages` by key, and edges as "from to". */
class Model {
  readonly books = new Map<string, { pages: number; shelf: string }>();
  readonly edges = new Set<string>();
  /** In the order of their commits: the clock stands still, so the last one is the newest. */
  #added: string[] = [];

  read(step: Read): number {
    switch (step.read) {
      case 'get':
        return this.books.get(step.key)?.pages ?? -1;
      case 'out':
        return [...this.edges].filter((edge) => edge.startsWith(`${step.key} `)).length;
      case 'shelf':
        return sum([...this.books.values()].filter((book) => book.shelf === step.shelf));
      case 'newest':
        return this.books.get(this.#added.at(-1) ?? '')?.pages ?? -1;
      case 'count':
        return this.books.size;
    }
  }

  write(step: Write, pages: number): void {
    switch (step.write) {
      case 'put':
        if (!this.books.has(step.key)) this.#added.push(step.key);
        this.books.set(step.key, { pages, shelf: step.shelf });
        return;
      case 'tryAdd':
        if (this.books.has(step.key)) return;
        this.#added.push(step.key);
        this.books.set(step.key, { pages, shelf: 'none' });
        return;
      case 'delete':
        this.#added = this.#added.filter((added) => added !== step.key);
        this.books.delete(step.key);
        for (const edge of this.edges) {
          if (edge.split(' ').includes(step.key)) this.edges.delete(edge);
        }
        return;
      case 'link':
        this.edges.add(`${step.key} ${step.to}`);
        return;
      case 'unlink':
        this.edges.delete(`${step.key} ${step.to}`);
    }
  }
}

const sum = (books: readonly { readonly pages: number }[]): number =>
  books.reduce((total, { pages }) => total + pages, 0);

/** The same reads of a real graph; `round` keeps the nodes of one property run apart. */
function readGraph(at: StateReader, step: Read, type: string): number {
  const pagesOf = (node: unknown): number => Number(Object(node).Pages);
  const book = (name: string) => at.id({ type, key: name });
  switch (step.read) {
    case 'get': {
      const id = book(step.key);
      return id === undefined ? -1 : pagesOf(at.node(id));
    }
    case 'out': {
      const steps = [{ op: 'startAt', type, keys: [step.key] }, { op: 'out' }] as const;
      return Number(runQuery(at, { steps, end: { end: 'count' } }));
    }
    case 'shelf': {
      const where = { field: 'Shelf', compare: '=', value: step.shelf } as const;
      const steps = [{ op: 'startWhere', type, ...where }] as const;
      const found = runQuery(at, { steps, end: { end: 'nodes' } }) as object[];
      return sum(found.map((node) => ({ pages: pagesOf(node) })));
    }
    case 'newest': {
      const steps = [
        { op: 'startAt', type },
        { op: 'take', count: 1 },
      ] as const;
      const [newest] = runQuery(at, { steps, end: { end: 'nodes' } }) as object[];
      return newest === undefined ? -1 : pagesOf(newest);
    }
    case 'count':
      return Number(runQuery(at, { steps: [{ op: 'startAt', type }], end: { end: 'count' } }));
  }
}

function operationOf(step: Write, pages: number, type: string): WriterOperation {
  const named = { type, key: step.key };
  switch (step.write) {
    case 'put':
      return { op: 'addOrUpdate', ...named, fields: { Pages: pages, Shelf: step.shelf } };
    case 'tryAdd':
      return { op: 'tryAdd', ...named, fields: { Pages: pages, Shelf: 'none' } };
    case 'delete':
      return { op: 'delete', ...named };
    case 'link':
    case 'unlink':
      return { op: step.write, from: named, edge: 'Cites', to: { type, key: step.to } };
  }
}

/** A program that has read and written, and waits to be committed. */
interface Begun {
  readonly program: Program;
  readonly seen: readonly number[];
  readonly drafted: DraftedTransaction;
}

/** Programs that run one after the other, each on what those before it have written. */
function beginLine(programs: readonly Program[], type: string): readonly Begun[] {
  reader.refresh();
  const base = snapshots.hold();
  try {
    const line = drafts.beginLine(base);
    const on = programs.length > 1 ? line : base;
    return programs.flatMap((one) => begin(one, type, on, (written) => line.add(written)) ?? []);
  } finally {
    base.release();
  }
}

function begin(
  given: Program,
  type: string,
  snapshot: ReadSnapshot,
  onWritten: (payloads: readonly Uint8Array[]) => void,
): Begun | undefined {
  const reads = new ReadSet();
  if (snapshot.base !== snapshot) reads.firstNewId = firstNewId(snapshot.base.state);
  const { sequence } = snapshot;
  const recording = new RecordingReader(snapshot.state, reads);
  const at = new StateReader(recording, { refresh: () => sequence, sequence });
  using draft = drafts.begin(snapshot, () => graph.clock.now());
  try {
    const seen = given.reads.map((step) => {
      reads.countsMatter = step.read === 'count';
      return readGraph(at, step, type);
    });
    const pages = 1 + seen.reduce((total, value) => total + value, 0);
    for (const step of given.writes) {
      draft.write(JSON.stringify([operationOf(step, pages, type)]), 1);
    }
    onWritten(draft.payloads);
    return { program: given, seen, drafted: JSON.parse(draft.toJson(reads.toKeys())) };
  } catch (error) {
    // An edge between nodes that are not there.
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

/** Which of them are committed; the others were refused, as what they have read was changed. */
async function commit(begun: readonly Begun[]): Promise<readonly boolean[]> {
  const [one, ...others] = begun;
  if (one !== undefined && others.length === 0) {
    return graph.writer.commit(one.drafted).then(() => [true], refusedByConflict);
  }
  const outcomes = await graph.writer.commitLine(begun.map(({ drafted }) => drafted));
  return outcomes.map((outcome) => {
    if ('sequence' in outcome) return true;
    expect(outcome.problem.code).toBe('write_conflict');
    return false;
  });
}

function refusedByConflict(error: unknown): readonly boolean[] {
  if (error instanceof Problem && error.code === 'write_conflict') return [false];
  throw error;
}

const SHELVED = [
  { write: 'put', key: 'b', shelf: 'high' },
  { write: 'put', key: 'c', shelf: 'low' },
] as const;

async function buildIndex(type: string): Promise<void> {
  const ofType = () => graph.reader.indexes().find((index) => index.type === type);
  const index = ofType();
  if (index === undefined) throw new Error(`${type} has an index`);
  await graph.writer.commit({ operations: [], indexWork: { build: index.number } });
  graph.reader.refresh();
  expect(ofType()).toMatchObject({ isReady: true, entries: SHELVED.length });
}

/** Each run adds a type, so later ones take longer. */
const TIMEOUT_MS = scale({ sample: 600_000, soak: 3_600_000 });

let rounds = 0;

it(
  'programs that run at once have done what they do one after the other, as they were committed',
  async () => {
    let committed = 0;
    let refused = 0;
    let inLines = 0;
    const property = fc.asyncProperty(
      fc.array(program, { minLength: 2, maxLength: 8 }),
      fc.infiniteStream(fc.nat()),
      async (programs, choices) => {
        const type = `Book${++rounds}`;
        const fields = { Pages: 'Int', Shelf: 'String' } as const;
        const indexes = [{ fields: ['Shelf'], unique: false }];
        await graph.addSchema({
          nodes: [{ type, key: 'Name', fields, indexes }],
          edges: [{ type: 'Cites' }],
        });
        const model = new Model();
        // The index is built over some, and has entries when the first program reads it.
        for (const [i, step] of SHELVED.entries()) {
          model.write(step, i + 1);
          await graph.write(operationOf(step, i + 1, type));
        }
        await buildIndex(type);
        const toBegin = [...programs];
        const begun: (readonly Begun[])[] = [];
        while (toBegin.length + begun.length > 0) {
          const choice = choices.next().value % (toBegin.length + begun.length);
          if (choice < toBegin.length) {
            const length = 1 + (choices.next().value % 4);
            const line = beginLine(toBegin.splice(0, length), type);
            if (line.length > 0) begun.push(line);
            continue;
          }
          const [line = []] = begun.splice(choice - toBegin.length, 1);
          const outcomes = await commit(line);
          // Who is behind a refused one has seen what it would have written.
          expect(outcomes).toEqual(outcomes.toSorted((a, b) => Number(b) - Number(a)));
          for (const [i, one] of line.entries()) {
            if (outcomes[i] !== true) {
              refused++;
              continue;
            }
            committed++;
            if (i > 0) inLines++;
            const seen = one.program.reads.map((step) => model.read(step));
            expect(one.seen).toEqual(seen);
            const pages = 1 + seen.reduce((total, value) => total + value, 0);
            for (const step of one.program.writes) model.write(step, pages);
          }
        }
        reader.refresh();
        for (const name of KEYS) {
          for (const kind of ['get', 'out'] as const) {
            const step = { read: kind, key: name };
            expect(readGraph(reader, step, type)).toBe(model.read(step));
          }
        }
      },
    );
    await fc.assert(property, { seed: seed(), numRuns: scale({ sample: 300, soak: 1_000 }) });
    expect([committed > 0, refused > 0, inLines > 0]).toEqual([true, true, true]);
  },
  TIMEOUT_MS,
);

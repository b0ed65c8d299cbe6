import type {
  CheckedGoldenSet,
  GoldenSet,
  GoldenSetList,
  SearchMetrics,
} from '@trellis/contract/shapes/search-evaluation.ts';
import { EVALUATIONS_KEPT, GOLDEN_SETS_MAX } from '#base/search-limits.ts';
import type { WriterOperation } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { Evaluated, Evaluation, QueryResult } from './evaluate.ts';

/** The node types of `#graph/system-schema.ts` in which sets and their runs are stored. */
const SET_TYPE = '_GoldenSet';
const RUN_TYPE = '_GoldenSetRun';

/** A golden set as it is stored. */
export interface StoredGoldenSet extends GoldenSet {
  /** Version of the node, to detect changes by others. */
  readonly nodeVersion: number;
  /** How often it was run so far. */
  readonly runs: number;
}

type GoldenSetEntry = GoldenSetList['items'][number];

/** An evaluation with the result of each query. */
export interface StoredEvaluation extends Evaluation {
  readonly results: readonly QueryResult[];
}

/**
 * Reads golden sets at the reader's commit. The runs of a set rotate through EVALUATIONS_KEPT
 * nodes.
 */
export class GoldenSetStore {
  readonly #reader: GraphReader;

  constructor(reader: GraphReader) {
    this.#reader = reader;
  }

  /** By name. */
  list(): GoldenSetEntry[] {
    const reader = this.#reader;
    const ids = reader.idsOfType(SET_TYPE, { take: GOLDEN_SETS_MAX });
    const entries = ids.flatMap((id) => {
      const found = reader.fields(id, ['Id', 'Description', 'Size', 'Runs']);
      if (found === undefined) return [];
      const [name, description, size, runs] = found.values;
      return {
        name: String(name),
        description: String(description ?? ''),
        queries: Number(size),
        lastRun: this.#evaluation(String(name), Number(runs ?? 0)) ?? null,
      };
    });
    return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  get count(): number {
    return this.#reader.countOfType(SET_TYPE);
  }

  find(name: string): StoredGoldenSet | undefined {
    const id = this.#reader.id({ type: SET_TYPE, key: name });
    const node = id === undefined ? undefined : this.#reader.node(id);
    if (id === undefined || node === undefined) return undefined;
    return {
      name,
      description: String(node['Description'] ?? ''),
      request: node['Request'] as GoldenSet['request'],
      queries: node['Queries'] as GoldenSet['queries'],
      runs: Number(node['Runs'] ?? 0),
      version: Number(node['Version'] ?? 1),
      nodeVersion: this.#reader.version(id) ?? 0,
    };
  }

  /** Newest first; at most EVALUATIONS_KEPT. */
  evaluations({ name, runs }: Pick<StoredGoldenSet, 'name' | 'runs'>): Evaluation[] {
    const found: Evaluation[] = [];
    for (let number = runs; number > Math.max(0, runs - EVALUATIONS_KEPT); number--) {
      const evaluation = this.#evaluation(name, number);
      if (evaluation !== undefined) found.push(evaluation);
    }
    return found;
  }

  /** The newest one. */
  lastEvaluation({
    name,
    runs,
  }: Pick<StoredGoldenSet, 'name' | 'runs'>): StoredEvaluation | undefined {
    const evaluation = this.#evaluation(name, runs);
    const id = this.#reader.id({ type: RUN_TYPE, key: runKey(name, runs) });
    if (evaluation === undefined || id === undefined) return undefined;
    return { ...evaluation, results: this.#reader.field(id, 'Results') as QueryResult[] };
  }

  #evaluation(name: string, number: number): Evaluation | undefined {
    const id = this.#reader.id({ type: RUN_TYPE, key: runKey(name, number) });
    if (number === 0 || id === undefined) return undefined;
    const names = ['Timestamp', 'Sequence', 'Size', 'Metrics'];
    const [at, sequence, size, metrics] = this.#reader.fields(id, names)?.values ?? [];
    return {
      at: String(at),
      sequence: Number(sequence),
      queries: Number(size),
      metrics: metrics as SearchMetrics,
    };
  }

  /** Operations that remove a set with all its runs. */
  deletion({ name, nodeVersion }: StoredGoldenSet): WriterOperation[] {
    const operations: WriterOperation[] = [
      { op: 'delete', type: SET_TYPE, key: name, ifVersion: nodeVersion },
    ];
    for (let number = 0; number < EVALUATIONS_KEPT; number++) {
      const run = { type: RUN_TYPE, key: runKey(name, number) };
      if (this.#reader.id(run) !== undefined) operations.push({ op: 'delete', ...run });
    }
    return operations;
  }
}

/** Runs are counted from 1; a set's name has no slash. */
function runKey(name: string, number: number): string {
  return `${name}/${number % EVALUATIONS_KEPT}`;
}

/**
 * For a commit with `system`: makes the set, or replaces the one that there is; its runs stay.
 * Conflicts with whatever changes the set at the same time.
 */
export function goldenSetOperation(
  name: string,
  set: CheckedGoldenSet,
  before: StoredGoldenSet | undefined,
): WriterOperation {
  return {
    op: 'addOrUpdate',
    type: SET_TYPE,
    key: name,
    fields: {
      Description: set.description,
      Request: set.request,
      Queries: set.queries,
      Size: set.queries.length,
      Version: (before?.version ?? 0) + 1,
    },
    ifVersion: before?.nodeVersion ?? 0,
  };
}

/** For a commit with `system`; refused if the set has changed since it was read. */
export function evaluationOperations(
  { name, runs, nodeVersion }: StoredGoldenSet,
  { at, sequence, queries, metrics }: Evaluation,
  results: Evaluated['results'],
): WriterOperation[] {
  const number = runs + 1;
  return [
    { op: 'update', type: SET_TYPE, key: name, fields: { Runs: number }, ifVersion: nodeVersion },
    {
      op: 'addOrUpdate',
      type: RUN_TYPE,
      key: runKey(name, number),
      timestamp: at,
      fields: { Sequence: sequence, Size: queries, Metrics: metrics, Results: results },
    },
  ];
}

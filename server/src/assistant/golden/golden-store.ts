import type {
  CheckedGoldenAnswers,
  GoldenAnswers,
  GoldenAnswersList,
  GoldenLabel,
  GoldenResult,
  GoldenRun,
} from '@trellis/contract/shapes/golden-answers.ts';
import { GOLDEN_ANSWER_SETS_MAX, GOLDEN_RUNS_KEPT } from '#base/assistant-limits.ts';
import type { WriterOperation } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';

/** The node types of `#graph/system-schema.ts` in which sets, runs and answers are stored. */
const SET_TYPE = '_GoldenAnswers';
const RUN_TYPE = '_GoldenAnswersRun';
const RESULT_TYPE = '_GoldenAnswersResult';

/** A set as it is stored. */
export interface StoredGoldenAnswers extends GoldenAnswers {
  /** Version of the node, to detect changes by others. */
  readonly nodeVersion: number;
  /** How often it was run so far. */
  readonly runs: number;
}

/** A run as it is stored. */
export interface StoredRun extends GoldenRun {
  /** UID of the user who started it. */
  readonly startedBy: string;
  /** SHA-256 of the questions that it asks. */
  readonly digest: string;
}

/** A verdict with the UID of the user whose it is. */
export interface StoredLabel extends GoldenLabel {
  readonly user: string;
  /** ISO 8601 UTC. */
  readonly at: string;
}

/** Names a run of a set. */
export interface RunOf {
  readonly name: string;
  readonly run: number;
}

/**
 * Reads sets of golden answers at the reader's commit. The runs of a set rotate through
 * GOLDEN_RUNS_KEPT nodes; each answer of a run is a node of its own, so that a run can be read and
 * continued after the server has stopped.
 */
export class GoldenStore {
  readonly #reader: GraphReader;

  constructor(reader: GraphReader) {
    this.#reader = reader;
  }

  get count(): number {
    return this.#reader.countOfType(SET_TYPE);
  }

  /** By name. */
  list(): GoldenAnswersList['items'] {
    const ids = this.#reader.idsOfType(SET_TYPE, { take: GOLDEN_ANSWER_SETS_MAX });
    const entries = ids.flatMap((id) => {
      const found = this.#reader.fields(id, ['Id', 'Description', 'Size', 'Runs']);
      if (found === undefined) return [];
      const [id_, description, size, runs] = found.values;
      const name = String(id_);
      const last = this.run({ name, run: Number(runs ?? 0) });
      return {
        name,
        description: String(description ?? ''),
        questions: Number(size),
        lastRun: last === undefined ? null : shownRun(last),
      };
    });
    return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  find(name: string): StoredGoldenAnswers | undefined {
    const id = this.#reader.id({ type: SET_TYPE, key: name });
    const node = id === undefined ? undefined : this.#reader.node(id);
    if (id === undefined || node === undefined) return undefined;
    return {
      name,
      description: String(node['Description'] ?? ''),
      questions: node['Questions'] as GoldenAnswers['questions'],
      runs: Number(node['Runs'] ?? 0),
      // Sets of before have none.
      version: Number(node['Version'] ?? 1),
      nodeVersion: this.#reader.version(id) ?? 0,
    };
  }

  /** Newest first; at most GOLDEN_RUNS_KEPT. */
  runs({ name, runs }: Pick<StoredGoldenAnswers, 'name' | 'runs'>): StoredRun[] {
    const found: StoredRun[] = [];
    for (let number = runs; number > Math.max(0, runs - GOLDEN_RUNS_KEPT); number--) {
      const one = this.run({ name, run: number });
      if (one !== undefined) found.push(one);
    }
    return found;
  }

  run(of: RunOf): StoredRun | undefined {
    const id = this.#runId(of);
    if (id === undefined) return undefined;
    const [number, run] = this.#reader.fields(id, ['Number', 'Run'])?.values ?? [];
    // The place may hold a newer run.
    return Number(number) === of.run ? (run as StoredRun) : undefined;
  }

  /** Version of its node, to detect changes by others. */
  runVersion(of: RunOf): number {
    const id = this.#runId(of);
    return (id === undefined ? undefined : this.#reader.version(id)) ?? 0;
  }

  labels(of: RunOf): readonly StoredLabel[] {
    const id = this.#runId(of);
    const stored = id === undefined ? undefined : this.#reader.field(id, 'Labels');
    return (stored ?? []) as readonly StoredLabel[];
  }

  /** In the order of the questions; those that are not asked yet are left out. */
  results(of: RunOf & { readonly questions: number }): GoldenResult[] {
    return Array.from({ length: of.questions }, (_, index) => this.result(of, index)).filter(
      (one) => one !== undefined,
    );
  }

  result(of: RunOf, index: number): GoldenResult | undefined {
    const id = this.#reader.id({ type: RESULT_TYPE, key: resultKey(of, index) });
    return id === undefined ? undefined : (this.#reader.field(id, 'Result') as GoldenResult);
  }

  /** Runs that have not ended, with the names of their sets. */
  underWay(): { readonly of: RunOf; readonly run: StoredRun }[] {
    return this.list().flatMap(({ name, lastRun }) => {
      if (lastRun === null) return [];
      const set = this.find(name);
      const runs = set === undefined ? [] : this.runs(set);
      return runs
        .filter(({ state }) => state === 'running')
        .map((run) => ({ of: { name, run: run.run }, run }));
    });
  }

  /** Operations that remove a set with all its runs. */
  deletion({ name, nodeVersion, runs }: StoredGoldenAnswers): WriterOperation[] {
    const kept = this.runs({ name, runs });
    return [
      { op: 'delete', type: SET_TYPE, key: name, ifVersion: nodeVersion },
      ...kept.flatMap(({ run }): WriterOperation[] => {
        const of = { name, run };
        return [{ op: 'delete', type: RUN_TYPE, key: runKey(of) }, ...this.#resultsDeletion(of)];
      }),
    ];
  }

  /** Operations that begin a run in the place of the oldest one. */
  beginning({ name, nodeVersion }: StoredGoldenAnswers, run: StoredRun): WriterOperation[] {
    const { run: number } = run;
    const oldest = { name, run: number - GOLDEN_RUNS_KEPT };
    return [
      { op: 'update', type: SET_TYPE, key: name, fields: { Runs: number }, ifVersion: nodeVersion },
      ...this.#resultsDeletion(oldest),
      runOperation(name, run, []),
    ];
  }

  #resultsDeletion(of: RunOf): WriterOperation[] {
    const stored = this.run(of);
    const operations: WriterOperation[] = [];
    for (let index = 0; index < (stored?.questions ?? 0); index++) {
      const result = { type: RESULT_TYPE, key: resultKey(of, index) };
      if (this.#reader.id(result) !== undefined) operations.push({ op: 'delete', ...result });
    }
    return operations;
  }

  #runId(of: RunOf): number | undefined {
    return of.run < 1 ? undefined : this.#reader.id({ type: RUN_TYPE, key: runKey(of) });
  }
}

/** A set's name has no slash. */
function runKey({ name, run }: RunOf): string {
  return `${name}/${run % GOLDEN_RUNS_KEPT}`;
}

function resultKey(of: RunOf, index: number): string {
  return `${runKey(of)}/${index}`;
}

/** What others may know of a run. */
export function shownRun({ startedBy: _startedBy, digest: _digest, ...run }: StoredRun): GoldenRun {
  return run;
}

/**
 * For a commit with `system`: replaces the set of this name, which is `before`; its runs stay.
 * Conflicts with whatever changes the set at the same time.
 */
export function setOperation(
  name: string,
  set: CheckedGoldenAnswers,
  before: StoredGoldenAnswers | undefined,
): WriterOperation {
  const { description, questions } = set;
  return {
    op: 'addOrUpdate',
    type: SET_TYPE,
    key: name,
    fields: {
      Description: description,
      Questions: questions,
      Size: questions.length,
      Version: (before?.version ?? 0) + 1,
    },
    ifVersion: before?.nodeVersion ?? 0,
  };
}

/** For a commit with `system`; `labels` left out stay as they are. */
export function runOperation(
  name: string,
  run: StoredRun,
  labels?: readonly StoredLabel[],
): WriterOperation {
  return {
    op: 'addOrUpdate',
    type: RUN_TYPE,
    key: runKey({ name, run: run.run }),
    fields: { Number: run.run, Run: run, ...(labels === undefined ? {} : { Labels: labels }) },
  };
}

/** For a commit with `system`. */
export function resultOperation(of: RunOf, index: number, result: GoldenResult): WriterOperation {
  return {
    op: 'addOrUpdate',
    type: RESULT_TYPE,
    key: resultKey(of, index),
    fields: { Result: result },
  };
}

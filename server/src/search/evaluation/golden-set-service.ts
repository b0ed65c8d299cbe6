import type {
  CheckedGoldenSetChange,
  GoldenSet,
  GoldenSetList,
  SearchEvaluationList,
  SearchEvaluationReport,
} from '@trellis/contract/shapes/search-evaluation.ts';
import type { Caller } from '#access/caller.ts';
import { afterRace, checkSeen } from '#base/after-race.ts';
import { GOLDEN_SETS_MAX } from '#base/search-limits.ts';
import { Problem } from '#base/problem.ts';
import { didYouMean } from '#graph/names.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { Staging } from '#graph/staged-commits.ts';
import {
  checkGoldenSet,
  compareEvaluations,
  evaluate,
  type Evaluation,
  type EvaluationParts,
  listed,
} from './evaluate.ts';
import {
  evaluationOperations,
  goldenSetOperation,
  GoldenSetStore,
  type StoredGoldenSet,
} from './golden-set-store.ts';

export interface GoldenSetParts extends EvaluationParts {
  readonly commits: CommitPort;
}

/**
 * Measures search by queries whose answers are known (open-shapes, section 6). One run at a time.
 */
export class GoldenSetService implements Disposable {
  readonly #parts: GoldenSetParts;
  readonly #store: GoldenSetStore;
  readonly #stopped = new AbortController();
  #running: string | undefined;

  constructor(parts: GoldenSetParts) {
    this.#parts = parts;
    this.#store = new GoldenSetStore(parts.reader);
  }

  list(_caller: Caller): GoldenSetList {
    this.#parts.reader.refresh();
    return { items: this.#store.list() };
  }

  /** This and all others but `put` throw `golden_set_not_found`. */
  get(_caller: Caller, name: string): GoldenSet {
    const { description, request, queries, version } = this.#find(name);
    return { name, description, request, queries, version };
  }

  /**
   * Makes the set, or replaces the one of this name, whose runs stay. Throws `invalid_request`, and
   * `version_conflict` where it is not the version that the caller has seen, or where others keep
   * changing it meanwhile.
   */
  async put(caller: Caller, name: string, set: CheckedGoldenSetChange): Promise<GoldenSet> {
    checkGoldenSet(set);
    // A run changes the set too, though not what callers see of it.
    return afterRace(
      () => this.#put(caller, name, set),
      () => {
        this.#parts.reader.refresh();
        checkSeen(set.version, this.#store.find(name)?.version ?? 0, `The golden set "${name}"`);
      },
    );
  }

  async #put(caller: Caller, name: string, set: CheckedGoldenSetChange): Promise<GoldenSet> {
    const before = this.#store.find(name);
    if (this.#store.count >= GOLDEN_SETS_MAX && before === undefined) {
      throw new Problem('invalid_request', `There are ${GOLDEN_SETS_MAX} golden sets already.`, {
        hint: 'Delete one that is not needed any more.',
      });
    }
    const operations = [goldenSetOperation(name, set, before)];
    await this.#parts.commits.commit({ system: true, operations });
    return this.get(caller, name);
  }

  /** Deletes a set and its runs. */
  async delete(_caller: Caller, name: string): Promise<void> {
    const operations = this.#store.deletion(this.#find(name));
    await this.#parts.commits.commit({ system: true, operations });
  }

  /** The same, as a part of a larger commit. */
  over({ reader, commits }: Staging): GoldenSetService {
    return new GoldenSetService({ ...this.#parts, reader, commits });
  }

  /** Newest first. */
  runs(_caller: Caller, name: string): SearchEvaluationList {
    return { items: this.#store.evaluations(this.#find(name)) };
  }

  /**
   * Runs all queries, stores the results, and compares them with the run before. Throws
   * `evaluation_running`, `evaluation_timeout`, `version_conflict` if the set changed meanwhile,
   * and what a search throws.
   */
  async run(_caller: Caller, name: string): Promise<SearchEvaluationReport> {
    const set = this.#find(name);
    if (this.#running !== undefined) {
      throw new Problem('evaluation_running', `The golden set "${this.#running}" is being run.`);
    }
    this.#running = name;
    try {
      return await this.#run(set);
    } finally {
      this.#running = undefined;
    }
  }

  async #run(set: StoredGoldenSet): Promise<SearchEvaluationReport> {
    const { reader, commits, clock } = this.#parts;
    const { name } = set;
    const at = new Date(clock.now()).toISOString();
    const { sequence } = reader;
    const before = this.#store.lastEvaluation(set);
    const { metrics, results, missing } = await evaluate(set, this.#parts, this.#stopped.signal);
    const evaluation = { at, sequence, queries: results.length, metrics };
    await commits.commit({
      system: true,
      operations: evaluationOperations(set, evaluation, results),
    });
    const unfound = results.filter(({ rank }) => rank === null).map(({ query }) => query);
    return {
      name,
      ...evaluation,
      previous: before === undefined ? null : withoutResults(before),
      ...compareEvaluations(results, before?.results ?? []),
      unfound: listed(unfound),
      missing: listed(missing),
    };
  }

  #find(name: string): StoredGoldenSet {
    this.#parts.reader.refresh();
    const found = this.#store.find(name);
    if (found !== undefined) return found;
    const names = this.#store.list().map((set) => set.name);
    throw new Problem('golden_set_not_found', `There is no golden set "${name}".`, {
      ...didYouMean(name, names),
    });
  }

  /** Ends a run under way, before the state closes. */
  [Symbol.dispose](): void {
    this.#stopped.abort(new Problem('server_stopping', 'The server stops.'));
  }
}

function withoutResults({ at, sequence, queries, metrics }: Evaluation): Evaluation {
  return { at, sequence, queries, metrics };
}

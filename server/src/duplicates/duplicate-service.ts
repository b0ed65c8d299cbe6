import { DUPLICATES_MERGED_MAX } from '@trellis/contract/limits.ts';
import type {
  Duplicate,
  DuplicateQuery,
  DuplicateRule,
  DuplicateSearch,
} from '@trellis/contract/shapes/duplicate.ts';
import type { Job } from '@trellis/contract/shapes/job.ts';
import type { List } from '@trellis/contract/shapes/list.ts';
import { deed, type Doer } from '#access/audit-event.ts';
import { type Caller, serverCaller } from '#access/caller.ts';
import { accessOf } from '#access/node-access.ts';
import { must } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import { turns } from '#base/turns.ts';
import { isSystemName } from '#graph/names.ts';
import type { WriterOperation } from '#graph/operations.ts';
import type { JobRegistry, RunningJob } from '#jobs/job-registry.ts';
import { type Candidate, findCandidates, type NearNode } from './candidates.ts';
import { DuplicateStore, pairId } from './duplicate-store.ts';
import type { MergeParts, MergeService } from './merge-service.ts';
import { comparedFields, readProfiles } from './profiles.ts';
import { RuleStore } from './rule-store.ts';

export interface DuplicateParts extends MergeParts {
  readonly jobs: JobRegistry;
  /** The nodes of a type that are nearest to one by their vectors. Rejects with problems. */
  readonly near: (id: number, type: string, signal: AbortSignal) => Promise<readonly NearNode[]>;
}

const TURNS = 'duplicates';
const OPERATIONS_AT_ONCE = 500;
const REPORTED_NODES = 500;
/** Reading is this share of a search, comparing the rest. */
const READING = 0.3;

/** Nodes that may be one thing: searches for them, and what people say of what was found. */
export class DuplicateService implements AsyncDisposable {
  readonly #parts: DuplicateParts;
  readonly #store: DuplicateStore;
  readonly #rules: RuleStore;
  readonly #merges: MergeService;
  readonly #stopped = new AbortController();
  #running: { readonly id: string; readonly ended: Promise<void> } | undefined;

  constructor(parts: DuplicateParts, merges: MergeService) {
    this.#parts = parts;
    this.#store = new DuplicateStore(parts.reader);
    this.#rules = new RuleStore(parts.reader);
    this.#merges = merges;
  }

  async list(_caller: Caller, query: DuplicateQuery): Promise<List<Duplicate>> {
    this.#parts.reader.refresh();
    return this.#store.list(query);
  }

  /** Throws `duplicate_not_found`. */
  dismiss(doer: Doer, id: string): Promise<Duplicate> {
    return this.#decide(doer, id, 'dismissed');
  }

  /** Throws `duplicate_not_found`. */
  reopen(doer: Doer, id: string): Promise<Duplicate> {
    return this.#decide(doer, id, 'open');
  }

  async #decide(doer: Doer, id: string, state: Duplicate['state']): Promise<Duplicate> {
    const { reader, commits, audit } = this.#parts;
    reader.refresh();
    const pair = this.#store.find(id);
    if (pair === undefined) throw new Problem('duplicate_not_found', 'There is no such pair.');
    if (pair.state === state) return pair;
    const isDismissed = state === 'dismissed';
    const action = isDismissed ? 'duplicate.dismissed' : 'duplicate.reopened';
    const event = deed(action, doer, { kind: 'duplicate', id });
    const operations = isDismissed ? this.#store.dismissing(pair) : this.#store.reopening(pair);
    await commits.commit({ system: true, operations: [...operations, audit.operation(event)] });
    reader.refresh();
    return this.#store.find(id) ?? { ...pair, state };
  }

  rules(_caller: Caller): { items: readonly DuplicateRule[] } {
    this.#parts.reader.refresh();
    return { items: this.#rules.list() };
  }

  /** Throws `invalid_request`, `duplicate_rule_limit_reached`, `version_conflict`. */
  async putRule(doer: Doer, rule: DuplicateRule): Promise<DuplicateRule> {
    const { reader, commits, audit } = this.#parts;
    reader.refresh();
    const type = this.#typeOf(rule.type);
    this.#checkFields(type, rule.fields ?? undefined);
    const named = { ...rule, type };
    const event = deed('duplicate.rule-changed', doer, { kind: 'type', id: type }, { rule: named });
    await commits.commit({
      system: true,
      operations: [this.#rules.putting(named), audit.operation(event)],
    });
    return named;
  }

  /** Throws `duplicate_rule_not_found`, `version_conflict`. */
  async deleteRule(doer: Doer, type: string): Promise<void> {
    const { reader, commits, audit } = this.#parts;
    reader.refresh();
    const event = deed('duplicate.rule-changed', doer, { kind: 'type', id: type }, { rule: null });
    await commits.commit({
      system: true,
      operations: [this.#rules.deleting(type), audit.operation(event)],
    });
  }

  /** Throws `invalid_request`, `duplicate_search_running`. */
  find({ caller }: Doer, search: DuplicateSearch): Job {
    const { reader, jobs } = this.#parts;
    reader.refresh();
    const type = this.#typeOf(search.type);
    const rule = this.#rules.of(type);
    const fields = search.fields ?? rule.fields ?? undefined;
    this.#checkFields(type, fields);
    if (this.#running !== undefined) {
      const { id } = this.#running;
      throw new Problem('duplicate_search_running', 'A search is running.', { details: { id } });
    }
    const minScore = search.minScore ?? rule.minScore;
    const { userUid } = caller;
    const job = jobs.start({
      kind: 'duplicate-search',
      step: `Reading ${type}`,
      isCancellable: true,
      ...(userUid === null ? {} : { owner: userUid }),
    });
    const ended = this.#run(job, { ...rule, type, fields: fields ?? null, minScore });
    this.#running = { id: job.id, ended };
    const started = jobs.underWay().find(({ id }) => id === job.id);
    return must(started, 'the job that was started');
  }

  async #run(job: RunningJob, rule: DuplicateRule): Promise<void> {
    try {
      // The answer to the request comes first.
      await turns.next(TURNS);
      await this.#search(job, rule);
      job.end('succeeded');
    } catch (error) {
      // The next start of the server finds a job that its end has interrupted.
      if (this.#stopped.signal.aborted) return;
      if (job.signal.aborted) job.end('cancelled');
      else job.end('failed', error);
    } finally {
      this.#running = undefined;
    }
  }

  async #search(job: RunningJob, rule: DuplicateRule): Promise<void> {
    const { reader } = this.#parts;
    const { type } = rule;
    const total = Math.max(1, reader.countOfType(type));
    const resting = (from: number, share: number, step: string) => {
      let reported = 0;
      return (done: number): Promise<void> | undefined => {
        this.#stopped.signal.throwIfAborted();
        job.signal.throwIfAborted();
        if (done - reported >= REPORTED_NODES) {
          reported = done;
          job.report({ progress: from + (share * done) / total, step });
        }
        return turns.isSpent ? turns.next(TURNS) : undefined;
      };
    };
    const compared = comparedFields(reader, type, rule.fields ?? undefined);
    const reading = resting(0, READING, `Reading ${type}`);
    const { profiles, isCut } = await readProfiles(reader, type, compared, reading);
    if (isCut) job.log(`Only the newest ${profiles.length} nodes of ${type} are compared.`);
    const comparing = resting(READING, 1 - READING, `Comparing ${type}`);
    const { minScore } = rule;
    let failed = 0;
    const near = async (id: number): Promise<readonly NearNode[]> => {
      try {
        return await this.#parts.near(id, type, job.signal);
      } catch (error) {
        if (!(error instanceof Problem) || error.code === 'server_stopping') throw error;
        failed++;
        return [];
      }
    };
    const found = await findCandidates({ profiles, near, minScore, rest: comparing });
    job.log(`${found.pairs} pairs of ${profiles.length} nodes were compared.`);
    if (failed > 0) job.log(`Of ${failed} nodes the vectors could not be compared.`);
    if (found.isCut)
      job.log('There are more pairs than are kept: those of lower scores are left out.');
    const open = await this.#keep(type, found.candidates);
    job.log(`${open} pairs may be one thing.`);
    const merged = await this.#mergeByRule(rule, found.candidates, () => comparing(0));
    if (merged > 0) job.log(`${merged} nodes were merged by the rule of ${type}.`);
    job.report({ progress: 1, step: `${open - merged} pairs of ${type}` });
  }

  async #keep(type: string, candidates: readonly Candidate[]): Promise<number> {
    const { reader, commits } = this.#parts;
    reader.refresh();
    const pairs = candidates.flatMap(({ a, b, score, why }) => {
      const [one, other] = [reader.uid(a), reader.uid(b)];
      if (one === undefined || other === undefined) return [];
      return [{ id: pairId(one, other), type, score, why }];
    });
    const operations: WriterOperation[] = this.#store.replacing(type, pairs);
    for (let i = 0; i < operations.length; i += OPERATIONS_AT_ONCE) {
      const some = operations.slice(i, i + OPERATIONS_AT_ONCE);
      await commits.commit({ system: true, operations: some });
    }
    reader.refresh();
    return operations.filter(({ op }) => op === 'addOrUpdate').length;
  }

  /**
   * The surest first. Only nodes that the same people see are merged without asking: to merge
   * others takes a node away from somebody.
   */
  async #mergeByRule(
    { mergeAbove }: DuplicateRule,
    candidates: readonly Candidate[],
    rest: () => Promise<void> | undefined,
  ): Promise<number> {
    if (mergeAbove === null) return 0;
    const { reader } = this.#parts;
    const doer = { caller: serverCaller('duplicates'), address: null };
    let merged = 0;
    for (const { a, b, score } of candidates) {
      if (score < mergeAbove || merged === DUPLICATES_MERGED_MAX) break;
      await rest();
      reader.refresh();
      const [one, other] = [reader.uid(a), reader.uid(b)];
      if (one === undefined || other === undefined) continue;
      if (this.#store.isDismissed(pairId(one, other)) || !this.#isSeenAlike(a, b)) continue;
      const [into, node] = reader.degree(a) >= reader.degree(b) ? [one, other] : [other, one];
      try {
        await this.#merges.merge(doer, { into, node }, score);
        merged++;
      } catch (error) {
        // It stays for people to decide.
        if (!(error instanceof Problem)) throw error;
      }
    }
    return merged;
  }

  #isSeenAlike(a: number, b: number): boolean {
    const [one, other] = [a, b].map((id) => JSON.stringify(accessOf(this.#parts.reader, id)));
    return one === other;
  }

  #typeOf(name: string): string {
    const { reader } = this.#parts;
    const type = reader.typeNamed(name);
    const isThere = reader.schema().nodes.some((one) => one.type === type);
    if (isThere && !isSystemName(type)) return type;
    throw invalid('type', 'is not a node type of yours');
  }

  #checkFields(type: string, fields: readonly string[] | undefined): void {
    const known = this.#parts.reader.schema().nodes.find((one) => one.type === type);
    fields?.forEach((field, i) => {
      const isText = known?.fields[field] === 'String' || known?.key === field;
      if (!isText) throw invalid(`fields.${i}`, `is not a text of ${type}`);
    });
  }

  /** A search under way ends before the state closes. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped.abort(new Problem('server_stopping', 'The server stops.'));
    await this.#running?.ended;
  }
}

function invalid(path: string, message: string): Problem {
  return new Problem('invalid_request', `body, ${path}: ${message}`, {
    details: { fields: [{ path, message }] },
  });
}

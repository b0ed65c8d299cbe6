import type { List, Page } from '@trellis/contract/shapes/list.ts';
import type {
  SchemaBreak,
  SchemaChangeMade,
  SchemaChangeOutcome,
  SchemaChangeRecord,
  SchemaChangeRequest,
} from '@trellis/contract/shapes/schema-change.ts';
import type { SchemaAlias } from '@trellis/contract/shapes/schema-document.ts';
import type { GoldenSet } from '@trellis/contract/shapes/search-evaluation.ts';
import { type AuditTrail, deed, type Doer } from '#access/audit-event.ts';
import type { Caller } from '#access/caller.ts';
import { afterRace } from '#base/after-race.ts';
import { OneAtATime } from '#base/one-at-a-time.ts';
import { Problem } from '#base/problem.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { Taken } from '#graph/schema-drop.ts';
import type { SchemaEdit, SchemaEdits } from '#graph/schema-edits.ts';
import type { SchemaRename } from '#graph/schema-rename.ts';
import type { JobRegistry, RunningJob } from '#jobs/job-registry.ts';
import type { BrokenCode } from '#runtime/staged-endpoints.ts';
import { brokenSettings } from './broken-settings.ts';
import { type Change, changeRequest, newId } from './change-commit.ts';
import { type ChangeExtent, measure } from './change-extent.ts';
import { editName, editsOf, planned, type PlannedChange, shown } from './change-plan.ts';
import { rulesOfDropped } from './dropped-rules.ts';
import type { SettingStep } from './renamed-settings.ts';
import { type DroppedRule, SchemaChangeStore } from './schema-change-store.ts';

/** The workspace as it would be after a change. */
export interface StagedSchema extends AsyncDisposable {
  commit(edits: SchemaEdits): Promise<unknown>;
  /** Code that compiles now, and would not any more. */
  broken(signal: AbortSignal): Promise<readonly (Omit<BrokenCode, 'kind'> & BrokenKind)[]>;
}

interface BrokenKind {
  readonly kind: 'endpoint' | 'module' | 'migration';
}

/** What runs an endpoint, and so breaks with it. */
export interface EndpointUser {
  readonly kind: 'tool' | 'task';
  readonly name: string;
  readonly endpoint: string;
}

export interface SchemaChangeParts {
  readonly reader: GraphReader;
  readonly commits: CommitPort;
  readonly audit: AuditTrail;
  readonly jobs: Pick<JobRegistry, 'run'>;
  readonly stage: () => StagedSchema;
  /** What an edit has taken away, at the commit of the reader. */
  readonly taken: (by: string) => Taken | undefined;
  readonly endpointUsers: (caller: Caller) => readonly EndpointUser[];
  readonly goldenSets: (caller: Caller) => readonly GoldenSet[];
  /** Called after each commit: types of code, indexes, and what names types outside of settings. */
  readonly onChanged: () => Promise<void>;
}

export interface SchemaChangeCall extends Doer {
  /** Aborts when whoever has asked has gone: that ends the check. */
  readonly signal: AbortSignal;
}

/**
 * Changes of a schema that is in use (open-shapes, section 10). Records of nodes and edges hold
 * numbers of types and fields, and the type of each value. So each change is one commit that leaves
 * them as they are: names change, what is dropped is hidden, and what gets another type is
 * converted as it is read. The way back is as short.
 */
export class SchemaChangeService {
  readonly #parts: SchemaChangeParts;
  readonly #store: SchemaChangeStore;
  readonly #turns = new OneAtATime();

  constructor(parts: SchemaChangeParts) {
    this.#parts = parts;
    this.#store = new SchemaChangeStore(parts.reader);
  }

  /**
   * Throws `invalid_request` for what cannot be had, and `schema_in_use` with the outcome of a dry
   * run in the details when something would break and it is not forced.
   */
  change(call: SchemaChangeCall, request: SchemaChangeRequest): Promise<SchemaChangeOutcome> {
    const { changes, dryRun = false, force = false } = request;
    return this.#turns.run(async () => {
      const { reader } = this.#parts;
      reader.refresh();
      const schema = reader.schema();
      const plan = changes.map((change) => planned(change, schema));
      const id = newId();
      const breaks = dryRun || !force ? await this.#breaks(call, plan, id) : [];
      if (dryRun) return { breaks, ...outcomeOf(await this.#measure(call, plan)) };
      if (breaks.length > 0) {
        throw inUse({ breaks, ...outcomeOf(await this.#measure(call, plan)) });
      }
      return this.#working(plan, async (job) => {
        const extent = await this.#measure(call, plan, job);
        const done = await this.#commit(call, {
          id,
          edits: editsOf(plan, id, extent.edgesOfDropped),
          settings: plan.filter((change) => 'rename' in change),
          record: { changes: plan.map(shown), forced: force, undoes: null, undoneBy: null },
          rules: () => rulesOfDropped(reader, plan),
        });
        return { ...done, breaks: [], ...outcomeOf(extent) };
      });
    });
  }

  list(_caller: Caller, page: Page): List<SchemaChangeRecord> {
    return this.#store.list(page);
  }

  /** Throws `schema_change_not_found`, and `schema_conflict` when it cannot be taken back. */
  undo(call: Doer, id: string): Promise<SchemaChangeOutcome> {
    return this.#turns.run(async () => {
      const done = this.#store.get(id);
      if (done.undoneBy !== null) throw notUndone(`it was undone by ${done.undoneBy} already`);
      const back = done.changes
        .map((change, i) => this.#backOf(change, editName(id, i), done.rules?.[i]))
        .toReversed();
      const settings = back.flatMap(({ edit, place, rule }): SettingStep[] => {
        if ('rename' in edit) return [edit];
        return place === undefined || rule === undefined ? [] : [{ place, rule }];
      });
      const plan = back.flatMap(({ plan: one }) => (one === undefined ? [] : [one]));
      const signal = new AbortController().signal;
      const before = outcomeOf(await this.#measure({ ...call, signal }, plan));
      try {
        const changed = await this.#commit(call, {
          id: newId(),
          edits: back.map(({ edit }) => edit),
          settings,
          record: {
            changes: back.map(({ made }) => made),
            forced: true,
            undoes: id,
            undoneBy: null,
          },
        });
        const places = back.flatMap(({ place }) => (place === undefined ? [] : [place]));
        return { ...changed, breaks: [], ...this.#withRestored(before, places) };
      } catch (error) {
        if (!(error instanceof Problem) || error.code !== 'invalid_request') throw error;
        throw notUndone('names that it needs are in use, or gone', error);
      }
    });
  }

  /** Throws `schema_alias_not_found`. */
  async removeAlias({ caller, address }: Doer, alias: SchemaAlias): Promise<void> {
    const { commits, audit, onChanged } = this.#parts;
    // Afterwards nothing tells any more what a name was the former one of.
    await onChanged();
    const target = { kind: 'schema', id: alias.alias };
    await commits.commit({
      system: true,
      edits: { removedAliases: [alias] },
      operations: [
        audit.operation(deed('schema.alias-removed', { caller, address }, target, alias)),
      ],
    });
    await onChanged();
  }

  async #breaks(
    { caller, signal }: SchemaChangeCall,
    plan: readonly PlannedChange[],
    id: string,
  ): Promise<SchemaBreak[]> {
    await using staged = this.#parts.stage();
    await staged.commit({ edits: editsOf(plan, id, new Map()) });
    const broken = await staged.broken(signal);
    const code = broken.map(({ kind, name, diagnostics }): SchemaBreak => ({
      kind,
      name,
      why: 'It does not compile against the schema as it would be',
      diagnostics: [...diagnostics],
    }));
    const endpoints = new Set(
      code.flatMap(({ kind, name }) => (kind === 'endpoint' ? [name] : [])),
    );
    const { reader, endpointUsers, goldenSets } = this.#parts;
    const users = endpointUsers(caller)
      .filter(({ endpoint }) => endpoints.has(endpoint))
      .map(({ kind, name, endpoint }) => ({ kind, name, why: `It runs the endpoint ${endpoint}` }));
    return [...code, ...users, ...brokenSettings(reader, plan, goldenSets(caller))];
  }

  /** What is more than a change of names is a job, so that one sees how far it is. */
  #working<T>(plan: readonly PlannedChange[], work: (job?: RunningJob) => Promise<T>): Promise<T> {
    if (plan.every((change) => 'rename' in change)) return work();
    const step = `Changing the schema: ${plan.length} changes`;
    return this.#parts.jobs.run({ kind: 'schema-change', step }, work);
  }

  #measure(
    { signal }: Pick<SchemaChangeCall, 'signal'>,
    plan: readonly PlannedChange[],
    job?: RunningJob,
  ): Promise<ChangeExtent> {
    let read = 0;
    return measure(plan, {
      reader: this.#parts.reader,
      signal,
      onProgress: (nodes) => {
        read += nodes;
        job?.report({ step: `${read} nodes read` });
      },
    });
  }

  /** Tries again when somebody changes a setting that follows meanwhile. */
  async #commit(
    by: Doer,
    change: Change,
  ): Promise<{ readonly id: string; readonly sequence: number }> {
    const { reader, commits, onChanged } = this.#parts;
    return afterRace(async () => {
      reader.refresh();
      const { sequence } = await commits.commit(changeRequest(this.#parts, by, change));
      await onChanged();
      return { id: change.id, sequence };
    });
  }

  /** How one change is taken back. Throws `schema_conflict` where that is not possible. */
  #backOf(change: SchemaChangeMade, by: string, rule: DroppedRule | undefined): WayBack {
    if ('restore' in change) {
      throw notUndone('it is an undo itself: make the change again instead');
    }
    const plan = planned(change, this.#parts.reader.schema());
    if ('rename' in plan) {
      const back = { rename: reversed(plan.rename) };
      return { edit: back, made: shown(back), plan: back };
    }
    const place = this.#parts.taken(by);
    if (place === undefined) throw notUndone('what it took away is gone');
    const { before, ...owner } = place;
    const made = JSON.parse(JSON.stringify({ restore: owner })) as SchemaChangeMade;
    const { type, field } = place;
    const isRetype = before !== undefined && type !== undefined && field !== undefined;
    return {
      edit: { restore: by },
      made,
      place,
      rule,
      ...(isRetype ? { plan: { retype: { type, field, to: before } } } : {}),
    };
  }

  /** With the nodes and edges that are shown again. */
  #withRestored(
    before: Omit<SchemaChangeOutcome, 'breaks'>,
    places: readonly Taken[],
  ): Omit<SchemaChangeOutcome, 'breaks'> {
    const { reader } = this.#parts;
    reader.refresh();
    const shownAgain = places.filter((place) => place.before === undefined);
    const count = (counts: readonly number[]): number => counts.reduce((all, one) => all + one, 0);
    return {
      ...before,
      nodes: before.nodes + count(shownAgain.map(({ type }) => reader.countOfType(type ?? ''))),
      edges: before.edges + count(shownAgain.map(({ edge }) => reader.countOfEdgeType(edge ?? ''))),
    };
  }
}

/** How a change is taken back, and what that is about. */
interface WayBack {
  readonly edit: SchemaEdit;
  readonly made: SchemaChangeMade;
  readonly place?: Taken;
  readonly rule?: DroppedRule | undefined;
  readonly plan?: PlannedChange;
}

function outcomeOf(extent: ChangeExtent): Omit<ChangeExtent, 'edgesOfDropped'> {
  const { nodes, edges, lossy, lostValues } = extent;
  return { nodes, edges, lossy, lostValues };
}

function inUse(outcome: SchemaChangeOutcome): Problem {
  const [first] = outcome.breaks;
  const others = outcome.breaks.length > 1 ? `, and ${outcome.breaks.length - 1} more` : '';
  const message = `The change breaks the ${first?.kind} ${first?.name}${others}`;
  return new Problem('schema_in_use', message, { details: { ...outcome } });
}

function notUndone(reason: string, cause?: Problem): Problem {
  return new Problem('schema_conflict', `The change cannot be undone: ${reason}`, {
    hint: 'GET /api/schema shows the names of now; POST /api/schema/changes takes others.',
    details: cause?.details ?? {},
    ...(cause === undefined ? {} : { cause }),
  });
}

function reversed(rename: SchemaRename): SchemaRename {
  const { field, to } = rename;
  if (field !== undefined) return { ...rename, field: to, to: field };
  return rename.type === undefined ? { edge: to, to: rename.edge } : { type: to, to: rename.type };
}

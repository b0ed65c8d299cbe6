import { setTimeout } from 'node:timers/promises';
import type { List, Page } from '@trellis/contract/shapes/list.ts';
import type {
  SchemaBreak,
  SchemaChange,
  SchemaChangeOutcome,
  SchemaChangeRecord,
  SchemaChangeRequest,
} from '@trellis/contract/shapes/schema-change.ts';
import type { SchemaAlias, SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { type AuditTrail, deed, type Doer } from '#access/audit-event.ts';
import type { Caller } from '#access/caller.ts';
import { SCHEMA_CHANGE_TRIES, SCHEMA_CHANGE_WAIT_MS } from '#base/definition-limits.ts';
import { OneAtATime } from '#base/one-at-a-time.ts';
import { Problem } from '#base/problem.ts';
import { formatUid, randomUid } from '#base/uid.ts';
import type { CommitPort, WriterOperation } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { NameChanges, SchemaRename } from '#graph/schema-rename.ts';
import type { BrokenCode } from '#runtime/staged-endpoints.ts';
import { renamedSettings } from './renamed-settings.ts';
import {
  SchemaChangeStore,
  type StoredSchemaChange,
  writeSchemaChange,
} from './schema-change-store.ts';

/** The workspace as it would be after a change of names. */
export interface StagedNames extends AsyncDisposable {
  commit(names: NameChanges): Promise<unknown>;
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
  readonly stage: () => StagedNames;
  readonly endpointUsers: (caller: Caller) => readonly EndpointUser[];
  /** Called after each commit: types of code, and what names types outside of settings. */
  readonly onRenamed: () => Promise<void>;
}

export interface SchemaChangeCall extends Doer {
  /** Aborts when whoever has asked has gone: that ends the check. */
  readonly signal: AbortSignal;
}

/**
 * Changes of a schema that is in use (open-shapes, section 10). Records hold numbers, so a rename
 * is one commit that changes the names of these numbers, and the settings that name them.
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
   * Throws `invalid_request` for names that cannot be had, and `schema_in_use` with the outcome of
   * a dry run in the details when something would break and it is not forced.
   */
  change(
    call: SchemaChangeCall,
    { changes, dryRun = false, force = false }: SchemaChangeRequest,
  ): Promise<SchemaChangeOutcome> {
    return this.#turns.run(async () => {
      this.#parts.reader.refresh();
      const renames = changes.map((change) => renameOf(change, this.#parts.reader.schema()));
      const extent = this.#extentOf(renames);
      if (dryRun || !force) {
        const breaks = await this.#breaks(call, renames);
        const outcome = { breaks, ...extent };
        if (dryRun) return outcome;
        if (breaks.length > 0) throw inUse(outcome);
      }
      const made = renames.map((one) => ({ rename: withoutUndefined(one) }));
      const record = { changes: made, forced: force, undoes: null, undoneBy: null };
      return { ...(await this.#commit(call, renames, record)), breaks: [], ...extent };
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
      const schema = this.#parts.reader.schema();
      const renames = done.changes.map((change) => renameOf(change, schema)).toReversed();
      const back = renames.map(reversed);
      const extent = this.#extentOf(back);
      const changes = back.map((one) => ({ rename: withoutUndefined(one) }));
      const record = { changes, forced: true, undoes: id, undoneBy: null };
      try {
        return { ...(await this.#commit(call, back, record)), breaks: [], ...extent };
      } catch (error) {
        if (!(error instanceof Problem) || error.code !== 'invalid_request') throw error;
        throw notUndone('names that it needs are in use, or gone', error);
      }
    });
  }

  /** Throws `schema_alias_not_found`. */
  async removeAlias({ caller, address }: Doer, alias: SchemaAlias): Promise<void> {
    const { commits, audit, onRenamed } = this.#parts;
    // Afterwards nothing tells any more what a name was the former one of.
    await onRenamed();
    const target = { kind: 'schema', id: alias.alias };
    await commits.commit({
      system: true,
      names: { removedAliases: [alias] },
      operations: [
        audit.operation(deed('schema.alias-removed', { caller, address }, target, alias)),
      ],
    });
    await onRenamed();
  }

  async #breaks(
    { caller, signal }: SchemaChangeCall,
    renames: readonly SchemaRename[],
  ): Promise<readonly SchemaBreak[]> {
    await using staged = this.#parts.stage();
    await staged.commit({ renames });
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
    const users = this.#parts
      .endpointUsers(caller)
      .filter(({ endpoint }) => endpoints.has(endpoint))
      .map(({ kind, name, endpoint }) => ({ kind, name, why: `It runs the endpoint ${endpoint}` }));
    return [...code, ...users];
  }

  /** Tries again when somebody changes a setting that follows meanwhile. */
  async #commit(
    { caller, address }: Doer,
    renames: readonly SchemaRename[],
    record: Omit<StoredSchemaChange, 'by'>,
  ): Promise<{ readonly id: string; readonly sequence: number }> {
    const { reader, commits, audit, onRenamed } = this.#parts;
    const id = formatUid(randomUid());
    const { userUid: uid, userName } = caller;
    const by = uid === null ? null : { uid, name: userName ?? uid };
    const { changes } = record;
    const event = deed('schema.changed', { caller, address }, { kind: 'schema', id }, { changes });
    for (let left = SCHEMA_CHANGE_TRIES; ; left--) {
      reader.refresh();
      const operations: WriterOperation[] = [
        ...renamedSettings(reader, renames),
        ...this.#store.makeRoom(),
        ...this.#undone(record.undoes, id),
        writeSchemaChange(id, { by, ...record }),
        audit.operation(event),
      ];
      try {
        const { sequence } = await commits.commit({ system: true, names: { renames }, operations });
        await onRenamed();
        return { id, sequence };
      } catch (error) {
        const isRaced = error instanceof Problem && error.code === 'version_conflict';
        if (!isRaced || left <= 1) throw error;
        // What it raced with shows once the log has it.
        await setTimeout(SCHEMA_CHANGE_WAIT_MS * 2 ** (SCHEMA_CHANGE_TRIES - left));
      }
    }
  }

  #undone(undoes: string | null, by: string): WriterOperation[] {
    if (undoes === null) return [];
    const { id: _id, at: _at, ...done } = this.#store.get(undoes);
    return [writeSchemaChange(undoes, { ...done, undoneBy: by })];
  }

  /** Of the nodes and edges that show another name. */
  #extentOf(renames: readonly SchemaRename[]): Omit<SchemaChangeOutcome, 'breaks'> {
    const { reader } = this.#parts;
    const names = (kind: 'type' | 'edge') =>
      [...new Set(renames.map((one) => one[kind]))].filter((name) => name !== undefined);
    const sum = (counts: readonly number[]) => counts.reduce((all, one) => all + one, 0);
    return {
      nodes: sum(names('type').map((type) => reader.countOfType(type))),
      edges: sum(names('edge').map((edge) => reader.countOfEdgeType(edge))),
      lossy: false,
    };
  }
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

/** A field alone is one of a node type, `Type.Field`, unless only an edge type has the name. */
function renameOf({ rename }: SchemaChange, { nodes, edges }: SchemaDocument): SchemaRename {
  if ('type' in rename || 'edge' in rename) return rename;
  const [owner = '', ...rest] = rename.field.split('.');
  const field = rest.join('.');
  const { to } = rename;
  const isEdge =
    edges.some(({ type }) => type === owner) && !nodes.some(({ type }) => type === owner);
  return isEdge ? { edge: owner, field, to } : { type: owner, field, to };
}

function reversed(rename: SchemaRename): SchemaRename {
  const { field, to } = rename;
  if (field !== undefined) return { ...rename, field: to, to: field };
  return rename.type === undefined ? { edge: to, to: rename.edge } : { type: to, to: rename.type };
}

function withoutUndefined(rename: SchemaRename): SchemaChange['rename'] {
  const { field, to } = rename;
  const own = { ...(field === undefined ? {} : { field }), to };
  return rename.type === undefined ? { edge: rename.edge, ...own } : { type: rename.type, ...own };
}

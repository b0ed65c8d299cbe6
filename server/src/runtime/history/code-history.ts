import type { Caller } from '#access/caller.ts';
import { must } from '#base/assert.ts';
import { CODE_HISTORY_DIFF_CHARACTERS_MAX } from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import { formatUid, keyedUid } from '#base/uid.ts';
import type { WriterOperation } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { CodeKind } from '@trellis/contract/shapes/build.ts';
import type { CodeChange } from '@trellis/contract/shapes/code-history.ts';
import type { Page } from '@trellis/contract/shapes/list.ts';
import { DEFAULT_SETTINGS, type EndpointSettings } from '../endpoint-definition.ts';
import { ENDPOINT_TYPE } from '../endpoint-store.ts';
import { MIGRATION_TYPE, type MigrationSettings } from '../migrations/migration-store.ts';
import { MODULE_TYPE } from '../modules/module-store.ts';
import { type CodeContent, contentDiff } from './unified-diff.ts';

/** What of a version of each kind can be set beside the code. */
export interface SettingsOfKind {
  readonly endpoint: Omit<EndpointSettings, 'code'>;
  readonly migration: Omit<MigrationSettings, 'code'>;
  /** There is nothing to set. */
  readonly module: Readonly<Record<string, never>>;
}

export type CodeAction = 'created' | 'changed' | 'restored' | 'deleted';

/** An item of code, which may be deleted by now. */
export interface CodeItem<Kind extends CodeKind = CodeKind> {
  readonly kind: Kind;
  readonly name: string;
}

export interface Author {
  readonly uid: string;
  readonly name: string;
}

interface Change extends CodeItem {
  readonly uid: string;
  readonly version: number;
  /** ISO 8601 UTC. */
  readonly at: string;
  /** Null when the server itself did it. */
  readonly by: Author | null;
  readonly action: CodeAction;
}

/** One version with its content; of a deletion the content that was deleted. */
export type RecordedVersion<Kind extends CodeKind = CodeKind> = {
  readonly [One in Kind]: Change & {
    readonly kind: One;
    readonly settings: SettingsOfKind[One];
    readonly code: string;
  };
}[Kind];

/** A change that is about to be committed. */
export interface NewVersion extends CodeItem {
  readonly version: number;
  readonly action: CodeAction;
  readonly caller: Caller;
  readonly nowMs: number;
  /** Undefined where there was nothing, or will be nothing. */
  readonly before: CodeContent | undefined;
  readonly after: CodeContent | undefined;
}

export interface TimeRange {
  /** ISO 8601: not before this time, and before that one. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** The node types in which the history is stored: see `#graph/system-schema.ts`. */
const VERSION_TYPE = '_CodeVersion';
const ITEM_TYPE = '_CodeItem';
const TYPE_OF_KIND: Readonly<Record<CodeKind, string>> = {
  endpoint: ENDPOINT_TYPE,
  migration: MIGRATION_TYPE,
  module: MODULE_TYPE,
};
/** The value of a setting that is younger than the version. */
const DEFAULTS_OF_KIND: SettingsOfKind = {
  endpoint: DEFAULT_SETTINGS,
  migration: { runOnStartup: false },
  module: {},
};

/**
 * Every version of every item of code. A version is written by the commit that makes it, so that
 * both happen or neither, and never changed again. Numbers go on when an item is deleted and made
 * anew: a version is named by its item and its number for ever.
 */
export class CodeHistory {
  readonly #reader: GraphReader;

  constructor(reader: GraphReader) {
    this.#reader = reader;
  }

  /** 0 when there never was such an item. */
  lastVersion(item: CodeItem): number {
    this.#reader.refresh();
    const id = this.#reader.id({ type: ITEM_TYPE, key: itemKey(item) });
    return id === undefined ? 0 : Number(this.#reader.field(id, 'LastVersion'));
  }

  /** To go into the commit of the change itself, which is refused if the version exists already. */
  operations(change: NewVersion): WriterOperation[] {
    const { kind, name, version, action, caller, nowMs, before, after } = change;
    const { code, settings } = must(after ?? before, 'the content of a version');
    const { userUid, userName } = caller;
    const item = { op: 'addOrUpdate', type: ITEM_TYPE, key: itemKey(change) } as const;
    return [
      { ...item, fields: { Kind: kind, Name: name, LastVersion: version } },
      {
        op: 'addOrUpdate',
        type: VERSION_TYPE,
        key: versionKey(change, version),
        fields: {
          Kind: kind,
          Name: name,
          Version: version,
          Action: action,
          Code: code,
          Settings: { ...settings },
          Diff: cut(contentDiff(name, before, after)),
          ...(userUid === null ? {} : { By: userUid, ByName: userName ?? '' }),
        },
        timestamp: nowMs,
        ifVersion: 0,
      },
    ];
  }

  /** The changes of everything, newest first. */
  list(query: TimeRange & Page) {
    const { skip, take, from, to } = query;
    const reader = this.#reader;
    reader.refresh();
    if (from === undefined && to === undefined) {
      const ids = reader.idsOfType(VERSION_TYPE, { skip, take });
      const total = reader.countOfType(VERSION_TYPE);
      return { items: ids.map((id) => this.#change(id)), total, skip, take };
    }
    const all = reader.idsOfType(VERSION_TYPE);
    const start = to === undefined ? 0 : this.#firstBefore(all, Date.parse(to));
    const end = from === undefined ? all.length : this.#firstBefore(all, Date.parse(from));
    const ids = all.slice(start, end);
    const items = ids.slice(skip, skip + take).map((id) => this.#change(id));
    return { items, total: ids.length, skip, take };
  }

  /** The changes of one item, newest first. Throws `code_version_not_found`. */
  listItem(item: CodeItem, { skip, take }: Page) {
    const total = this.lastVersion(item);
    if (total === 0) throw noHistory(item);
    const items: CodeChange[] = [];
    for (let version = total - skip; version > 0 && items.length < take; version--) {
      const id = this.#idOf(item, version);
      if (id !== undefined) items.push(this.#change(id));
    }
    return { items, total, skip, take };
  }

  find<Kind extends CodeKind>(
    item: CodeItem<Kind>,
    version: number,
  ): RecordedVersion<Kind> | undefined {
    this.#reader.refresh();
    const id = this.#idOf(item, version);
    if (id === undefined) return undefined;
    const node = must(this.#reader.node(id), 'the node of a version');
    const { diff: _diff, ...change } = this.#change(id);
    const settings = { ...DEFAULTS_OF_KIND[item.kind], ...Object(node['Settings']) };
    return Object({ ...change, settings, code: String(node['Code']) });
  }

  /** Throws `code_version_not_found`. */
  get<Kind extends CodeKind>(item: CodeItem<Kind>, version: number): RecordedVersion<Kind> {
    const found = this.find(item, version);
    if (found !== undefined) return found;
    if (this.lastVersion(item) === 0) throw noHistory(item);
    const message = `There is no version ${version} of the ${item.kind} "${item.name}"`;
    throw new Problem('code_version_not_found', message);
  }

  /**
   * In what two versions differ; without them the newest and the one before it, and version 0 is
   * what there was before the first: nothing. Throws `code_version_not_found`.
   */
  diff(
    item: CodeItem,
    range: { readonly from?: number | undefined; readonly to?: number | undefined },
  ) {
    const { kind, name } = item;
    const to = range.to ?? this.lastVersion(item);
    const from = range.from ?? to - 1;
    const contentOf = (version: number) =>
      version === 0 && to === 1 ? undefined : content(this.get(item, version));
    const after = contentOf(to);
    const diff = contentDiff(name, contentOf(from), after);
    return { uid: uidOf(item), kind, name, from, to, diff };
  }

  #idOf(item: CodeItem, version: number): number | undefined {
    return this.#reader.id({ type: VERSION_TYPE, key: versionKey(item, version) });
  }

  /** The place of the first of `ids`, newest first, that is older than a time. */
  #firstBefore(ids: readonly number[], timeMs: number): number {
    let low = 0;
    let high = ids.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const at = this.#reader.field(must(ids[middle], 'an id of the list'), 'Timestamp');
      if (Date.parse(String(at)) < timeMs) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #change(id: number): CodeChange {
    const { values } = must(this.#reader.fields(id, CHANGE_FIELDS), 'the node of a version');
    const [kind, name, version, at, by, byName, action, diff] = values;
    const item = { kind: String(kind) as CodeKind, name: String(name) };
    return {
      uid: uidOf(item),
      ...item,
      version: Number(version),
      at: String(at),
      by: by === undefined ? null : { uid: String(by), name: String(byName) },
      action: String(action) as CodeAction,
      diff: String(diff ?? ''),
    };
  }
}

const CHANGE_FIELDS = ['Kind', 'Name', 'Version', 'Timestamp', 'By', 'ByName', 'Action', 'Diff'];

function content({ action, code, settings }: RecordedVersion): CodeContent | undefined {
  return action === 'deleted' ? undefined : { code, settings };
}

/** It follows from kind and name, as all code is kept under its name. */
function uidOf({ kind, name }: CodeItem): string {
  return formatUid(keyedUid(TYPE_OF_KIND[kind], name));
}

function itemKey({ kind, name }: CodeItem): string {
  return `${kind}/${name}`;
}

/** No name has an "@". */
function versionKey(item: CodeItem, version: number): string {
  return `${itemKey(item)}@${version}`;
}

function cut(diff: string): string {
  if (diff.length <= CODE_HISTORY_DIFF_CHARACTERS_MAX) return diff;
  const end = diff.lastIndexOf('\n', CODE_HISTORY_DIFF_CHARACTERS_MAX) + 1;
  return `${diff.slice(0, end)}\\ The rest is left out.\n`;
}

const NAMED: Readonly<Record<CodeKind, string>> = {
  endpoint: 'an endpoint',
  migration: 'a migration',
  module: 'a module',
};

function noHistory({ kind, name }: CodeItem): Problem {
  return new Problem('code_version_not_found', `There never was ${NAMED[kind]} "${name}"`);
}

/**
 * Refuses a change of what was changed since it was seen, with `version_conflict`. Without `seen`
 * nothing is asked.
 */
export function checkSeen(
  history: CodeHistory,
  item: CodeItem,
  { seen, current }: { readonly seen: number | undefined; readonly current: number },
): void {
  if (seen === undefined || seen === current) return;
  const message = `The ${item.kind} "${item.name}" is at version ${current}, not ${seen}`;
  throw new Problem('version_conflict', message, {
    hint: 'Compare details.seen, details.current and your own text, and send the result with the current version.',
    details: {
      seenVersion: seen,
      currentVersion: current,
      seen: history.find(item, seen) ?? null,
      current: history.find(item, current) ?? null,
    },
  });
}

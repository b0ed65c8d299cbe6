import type { NodeObject } from '@trellis/contract/shapes/node.ts';
import type { AccessIndex } from '#access/access-index.ts';
import type { Caller } from '#access/caller.ts';
import { assert } from '#base/assert.ts';
import { Problem, type ProblemMessage } from '#base/problem.ts';
import { nameOf } from '#graph/node-name.ts';
import type { NodeReference } from '#graph/operations.ts';
import type { Query } from '#graph/query/plan.ts';
import { type QueryOptions, runQuery } from '#graph/query/run.ts';
import type { GraphReader, Visibility } from '#graph/reader.ts';
import type { StateReader } from '#graph/state-reader.ts';
import type { Searcher } from '#search/service/searcher.ts';
import { storageErrors } from '@trellis/contract/errors/storage.ts';
import type { CatalogueEntry } from '@trellis/contract/errors/entry.ts';
import type { FoundNode, WantedSimilarity, WantedText } from '#graph/query/query-context.ts';

/** The reads of endpoint code, answered where it runs. */
export const READ_OPERATIONS: ReadonlySet<unknown> = new Set([
  'get',
  'tryGet',
  'getMany',
  'version',
  'query',
]);

/** Those that are answered where the index is: its memory cannot be shared with another process. */
export const SEARCH_OPERATIONS: ReadonlySet<unknown> = new Set([
  'search',
  'searchAsUser',
  'suggestAsUser',
]);

/** Those of them that find nodes, which are shown as the call reads them. */
export const FOUND_OPERATIONS: ReadonlySet<unknown> = new Set(['search', 'searchAsUser']);

/** What one worker reads. */
export interface ReadSources {
  readonly reader: StateReader;
  readonly searcher: Finders;
  /** What the caller may see; asked for only where a query mentions it. */
  readonly visibility: () => Visibility | undefined;
}

/** Where the index is. */
export interface SearchSources {
  readonly access: AccessIndex;
  readonly searcher: Searcher;
}

/** What a query finds by words and vectors. */
export type Finders = Pick<Searcher, 'findByText' | 'findSimilar'>;

/** Who wants to know how queries were carried out. */
export type QueriesTold = Pick<QueryOptions, 'onScan' | 'onRun'>;

/**
 * JSON of what was asked for. `payload` is JSON that the guest made; throws a `Problem` for what
 * cannot be answered.
 */
export function answerRead(
  sources: ReadSources,
  operation: string,
  payload: string,
  told: QueriesTold = {},
): string {
  const asked: unknown = JSON.parse(payload);
  const { reader } = sources;
  switch (operation) {
    case 'get':
      return JSON.stringify(requireNode(reader, referenceOf(asked)));
    case 'tryGet':
      return JSON.stringify(findNode(reader, referenceOf(asked)) ?? null);
    case 'getMany':
      assert(Array.isArray(asked), 'getMany is asked with a list');
      return JSON.stringify(asked.map((one) => findNode(reader, referenceOf(one)) ?? null));
    case 'version':
      return String(versionOf(reader, referenceOf(asked)));
    case 'query':
      // Its shape is checked by the query itself, as that of any other.
      return JSON.stringify(
        runQuery(reader, byUid(asked, reader) as Query, {
          get visibility() {
            return sources.visibility();
          },
          findByText: (wanted, visibility) => sources.searcher.findByText(wanted, visibility),
          findSimilar: (wanted, visibility) => sources.searcher.findSimilar(wanted, visibility),
          onScan: told.onScan,
          onRun: told.onRun,
        }),
      );
    default:
      throw new Problem('invalid_request', `There is no operation "${operation}"`);
  }
}

/** The same for what is searched. */
export function answerSearch(
  { access, searcher }: SearchSources,
  caller: Caller,
  operation: string,
  payload: string,
): string {
  const asked: unknown = JSON.parse(payload);
  switch (operation) {
    case 'search':
      return JSON.stringify(searcher.search(asked, undefined));
    case 'searchAsUser':
      return JSON.stringify(searcher.search(asked, requireUser(access, caller, operation)));
    case 'suggestAsUser':
      return JSON.stringify(searcher.suggest(asked, requireUser(access, caller, operation)));
    default:
      throw new Problem('invalid_request', `There is no operation "${operation}"`);
  }
}

/**
 * What `asUser()` limits a query to; undefined when there is no user, and such a query is refused.
 */
export function visibilityOf(access: AccessIndex, caller: Caller): Visibility | undefined {
  return caller.userUid === null && !caller.isAdmin ? undefined : access.visibilityFor(caller);
}

function requireUser(access: AccessIndex, caller: Caller, operation: string): Visibility {
  const visibility = visibilityOf(access, caller);
  if (visibility !== undefined) return visibility;
  throw new Problem('invalid_request', `${operation}() needs a user, and this run has none`, {
    hint: 'Call the endpoint as a signed-in user, or with a token that has an acting user.',
  });
}

function findNode(reader: GraphReader, reference: NodeReference): NodeObject | undefined {
  const id = reader.id(reference);
  return id === undefined ? undefined : reader.node(id);
}

/** 0 when there is no such node. */
function versionOf(reader: GraphReader, reference: NodeReference): number {
  const id = reader.id(reference);
  return (id === undefined ? undefined : reader.version(id)) ?? 0;
}

function requireNode(reader: GraphReader, reference: NodeReference): NodeObject {
  const node = findNode(reader, reference);
  if (node !== undefined) return node;
  throw new Problem('node_not_found', `There is no node ${nameOf(reference)}`);
}

function referenceOf(value: unknown): NodeReference {
  const { uid, type, key } = Object(value) as Record<string, unknown>;
  if (typeof uid === 'string') return { uid };
  if (typeof type === 'string' && typeof key === 'string') return { type, key };
  throw new Problem('invalid_request', 'A node is named by its UID, or by its type and key');
}

/** The same query with a UID wherever a step or the end of it names a node in another way. */
function byUid(query: unknown, names: Names): unknown {
  const { steps, end } = Object(query) as { readonly steps?: unknown; readonly end?: unknown };
  const named = Array.isArray(steps) ? steps.map((step) => stepByUid(step, names)) : steps;
  return { steps: named, end: withUids(end, names) };
}

/** Knows the UIDs of nodes that are named by type and key. */
type Names = Pick<GraphReader, 'uidOf'>;

function stepByUid(step: unknown, names: Names): unknown {
  const named = withUids(step, names);
  const { steps } = Object(named) as { readonly steps?: unknown };
  return Array.isArray(steps)
    ? { ...Object(named), steps: steps.map((one) => stepByUid(one, names)) }
    : named;
}

/** Changes nothing else: what is wrong with it is for the query to say. */
function withUids(part: unknown, names: Names): unknown {
  const { uid, uids, to } = Object(part) as Record<string, unknown>;
  const isNamed = isReference(uid) || isReference(to);
  if (!isNamed && !(Array.isArray(uids) && uids.some(isReference))) return part;
  const uidFrom = (value: unknown): unknown => (isReference(value) ? names.uidOf(value) : value);
  return {
    ...Object(part),
    ...(uid === undefined ? {} : { uid: uidFrom(uid) }),
    ...(to === undefined ? {} : { to: uidFrom(to) }),
    ...(Array.isArray(uids) ? { uids: uids.map(uidFrom) } : {}),
  };
}

function isReference(value: unknown): value is Exclude<NodeReference, string> {
  if (typeof value !== 'object' || value === null) return false;
  const { uid, type, key } = value as Record<string, unknown>;
  return typeof uid === 'string' || (typeof type === 'string' && typeof key === 'string');
}

const ENTRIES: Readonly<Record<string, CatalogueEntry>> = storageErrors;

/** Whether the message is for the log alone, as it names folders, files and keys. */
export function isInternal({ code }: Pick<ProblemMessage, 'code'>): boolean {
  return Object.hasOwn(ENTRIES, code) && ENTRIES[code]?.internal === true;
}

/** What the code of an endpoint is told of a problem: only the code when it is internal. */
export function toldProblem(problem: ProblemMessage): ProblemMessage {
  if (!isInternal(problem)) return problem;
  return {
    code: problem.code,
    message: 'the storage of the server failed',
    hint: 'Administrators can find the reason in the log.',
    details: undefined,
  };
}

/** What a query has to find before it can go on: JSON of it goes to where the index is. */
export type WantedFind =
  | { readonly operation: 'findByText'; readonly asUser: boolean; readonly wanted: WantedText }
  | {
      readonly operation: 'findSimilar';
      readonly asUser: boolean;
      readonly wanted: WantedSimilarity;
    };

/** Thrown out of a query that is begun again once there is what it wants. */
export class MissingFind extends Error {
  override readonly name = 'MissingFind';
  /** JSON of a `WantedFind`. */
  readonly wanted: string;

  constructor(wanted: string) {
    super('a query waits for what is found elsewhere');
    this.wanted = wanted;
  }
}

/**
 * Finds by words and vectors for one query in a process that has no index: what was fetched for it.
 * A query finds before it does anything else, so that one which is begun again has lost nothing.
 */
export class FetchedFinds implements Finders {
  readonly #found = new Map<string, readonly FoundNode[]>();

  /** `found` is JSON of the nodes. */
  add(wanted: string, found: string): void {
    this.#found.set(wanted, JSON.parse(found) as readonly FoundNode[]);
  }

  readonly findByText: Finders['findByText'] = (wanted, visibility) =>
    this.#find({ operation: 'findByText', asUser: isUser(visibility), wanted });

  readonly findSimilar: Finders['findSimilar'] = (wanted, visibility) =>
    this.#find({ operation: 'findSimilar', asUser: isUser(visibility), wanted });

  #find(find: WantedFind): readonly FoundNode[] {
    const wanted = JSON.stringify(find);
    const found = this.#found.get(wanted);
    if (found === undefined) throw new MissingFind(wanted);
    return found;
  }
}

function isUser(visibility: Visibility | undefined): boolean {
  return visibility !== undefined;
}

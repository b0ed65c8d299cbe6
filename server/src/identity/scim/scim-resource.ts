import { createHash } from 'node:crypto';
import { LIST_TAKE_MAX, SCIM_EXTERNAL_ID_CHARACTERS_MAX } from '@trellis/contract/limits.ts';
import { SCIM_URNS, type ScimList, type ScimListQuery } from '@trellis/contract/shapes/scim.ts';
import type { AuditTrail } from '#access/audit-event.ts';
import { budgetKey, type Caller } from '#access/caller.ts';
import type { Clock } from '#base/clock.ts';
import type { OneAtATime } from '#base/one-at-a-time.ts';
import { Problem } from '#base/problem.ts';
import { turns } from '#base/turns.ts';
import type { CommitPort, WriterOperation } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { VaultReader } from '../vault.ts';
import { matchesScimFilter, type ScimFilter } from './scim-filter.ts';
import { isJson, type Json } from './scim-json.ts';
import { scimFault } from './scim-problem.ts';

export interface ScimParts {
  readonly reader: GraphReader;
  readonly vault: VaultReader;
  readonly commits: CommitPort;
  readonly clock: Clock;
  readonly audit: AuditTrail;
  /** Changes of users, whoever makes them; and of teams. */
  readonly userChanges: OneAtATime;
  readonly teamChanges: OneAtATime;
  /** Where people reach the workspace, without a final slash. */
  readonly publicUrl: () => string;
}

/** What keeps a user or a team, as the field `Source` says it. */
export const SCIM_SOURCE = 'scim';

export const SCIM_PATH = '/api/scim/v2';

/** A resource that was asked for, with the condition of the header If-Match. */
export interface ScimTarget {
  readonly id: string;
  readonly ifMatch: string | undefined;
}

/** Throws `scim_version_mismatch` unless the header names the present version, or `*`. */
export function checkVersion({ ifMatch }: ScimTarget, version: string): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const bare = (tag: string): string => tag.trim().replace(/^W\//, '');
  if (ifMatch.split(',').some((tag) => bare(tag) === bare(version))) return;
  throw new Problem('scim_version_mismatch', 'The resource has another version by now.', {
    details: { version },
  });
}

export function versionTag(text: string): string {
  return `W/"${text}"`;
}

/** Does not depend on the order of the texts. */
export function digestOf(texts: readonly string[]): string {
  return createHash('sha256').update(texts.toSorted().join('\n')).digest('base64url').slice(0, 16);
}

export function notThere(): Problem {
  return new Problem('scim_resource_not_found', 'There is no such resource.');
}

export function notManaged(what: string): Problem {
  return new Problem('scim_not_managed', what);
}

/** The text of an attribute; undefined when it is left out. An empty one counts as none. */
export function textOf(value: unknown, name: string, charactersMax: number): string | undefined {
  if (value === undefined || value === null) return undefined;
  // oxlint-disable-next-line no-control-regex -- what must not stand in a name
  if (typeof value !== 'string' || /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(value)) {
    throw scimFault('invalidValue', `${name}: must be a text without control characters`);
  }
  const text = value.trim();
  if (text.length > charactersMax || !text.isWellFormed()) {
    throw scimFault('invalidValue', `${name}: must be at most ${charactersMax} letters of Unicode`);
  }
  return text === '' ? undefined : text;
}

export function externalIdOf(value: unknown): string | undefined {
  return textOf(value, 'externalId', SCIM_EXTERNAL_ID_CHARACTERS_MAX);
}

type Kind = 'user' | 'group';

const idKey = (kind: Kind, externalId: string): string => `${kind}/${externalId}`;

/** The UID of the user or the team that the identity provider knows by this id. */
export function uidOfExternalId(
  reader: GraphReader,
  kind: Kind,
  externalId: string,
): string | undefined {
  const id = reader.id({ type: '_ScimId', key: idKey(kind, externalId) });
  const uid = id === undefined ? undefined : reader.field(id, 'Of');
  return typeof uid === 'string' ? uid : undefined;
}

/** The operations that change by which id it is found; throws `user_exists` or `team_exists`. */
export function externalIdChange(
  reader: GraphReader,
  kind: Kind,
  uid: string,
  change: { readonly before: string | undefined; readonly after: string | undefined },
): WriterOperation[] {
  const { before, after } = change;
  if (before === after) return [];
  const other = after === undefined ? undefined : uidOfExternalId(reader, kind, after);
  if (other !== undefined && other !== uid) {
    throw new Problem(kind === 'user' ? 'user_exists' : 'team_exists', 'The externalId is taken.', {
      details: { fields: [{ path: 'externalId', message: 'is taken' }] },
    });
  }
  const type = '_ScimId';
  const isThere = before !== undefined && uidOfExternalId(reader, kind, before) === uid;
  return [
    ...(isThere ? [{ op: 'delete', type, key: idKey(kind, before) } as const] : []),
    ...(after === undefined
      ? []
      : [
          {
            op: 'addOrUpdate',
            type,
            key: idKey(kind, after),
            fields: { Of: uid },
          } as const,
        ]),
  ];
}

/** The part of a resource that a request asks for; `id` and `schemas` always come. */
export function selected(
  resource: Json,
  query: {
    readonly attributes?: string | undefined;
    readonly excludedAttributes?: string | undefined;
  },
): Json {
  const wanted = namesOf(query.attributes);
  const unwanted = namesOf(query.excludedAttributes);
  if (wanted === undefined && unwanted === undefined) return resource;
  return Object.fromEntries(
    Object.entries(resource).filter(([name]) => {
      const lower = name.toLowerCase();
      if (['id', 'schemas', 'meta'].includes(lower)) return true;
      return wanted === undefined ? unwanted?.has(lower) !== true : wanted.has(lower);
    }),
  );
}

/** Whether an attribute that is costly to make is in the answer. */
export function isSelected(name: string, query: Parameters<typeof selected>[1]): boolean {
  return name in selected({ [name]: null }, query);
}

/** The first names of the attributes in a list, in lower case. */
function namesOf(list: string | undefined): ReadonlySet<string> | undefined {
  if (list === undefined || list.trim() === '') return undefined;
  return new Set(
    list.split(',').map((text) => {
      const bare = text.trim().toLowerCase();
      return (bare.slice(bare.lastIndexOf(':') + 1).split('.')[0] ?? bare).trim();
    }),
  );
}

interface Paged {
  readonly reader: GraphReader;
  readonly caller: Caller;
  /** How many there are, and some of them in their order. */
  readonly total: () => number;
  readonly ids: (skip: number, take: number) => readonly number[];
  /** Those that an index finds for the filter; undefined when there is none for it. */
  readonly found: readonly number[] | undefined;
  readonly filter: ScimFilter | undefined;
  readonly present: (id: number) => Json | undefined;
  /** The same with all that a filter may ask for. */
  readonly presentWhole: (id: number) => Json | undefined;
}

const LOOKED_AT_ONCE = 1_000;

/** A page of resources: startIndex counts from 1, and is moved into its range like count. */
export async function pageOfResources<Item>(
  paged: Paged,
  { startIndex = 1, count = 100 }: ScimListQuery,
): Promise<ScimList<Item>> {
  const skip = Math.max(0, startIndex - 1);
  const take = Math.min(Math.max(0, count), LIST_TAKE_MAX);
  const { ids, total } = await idsOf(paged, skip, take);
  const resources: Json[] = [];
  for (const id of ids) {
    if (turns.isSpent) await nextTurn(paged);
    const resource = paged.present(id);
    if (resource !== undefined) resources.push(resource);
  }
  return {
    schemas: [SCIM_URNS.list],
    totalResults: total,
    startIndex: skip + 1,
    itemsPerPage: resources.length,
    Resources: resources as Item[],
  };
}

async function nextTurn({ reader, caller }: Paged): Promise<void> {
  await turns.next(budgetKey(caller));
  reader.refresh();
}

async function idsOf(
  paged: Paged,
  skip: number,
  take: number,
): Promise<{ readonly ids: readonly number[]; readonly total: number }> {
  const { filter, found } = paged;
  if (filter === undefined) return { ids: paged.ids(skip, take), total: paged.total() };
  if (found !== undefined) return { ids: found.slice(skip, skip + take), total: found.length };
  const ids: number[] = [];
  let total = 0;
  for (let at = 0; ; at += LOOKED_AT_ONCE) {
    const some = paged.ids(at, LOOKED_AT_ONCE);
    for (const id of some) {
      if (turns.isSpent) await nextTurn(paged);
      const resource = paged.presentWhole(id);
      if (!isJson(resource) || !matchesScimFilter(filter, resource)) continue;
      if (total >= skip && ids.length < take) ids.push(id);
      total++;
    }
    if (some.length < LOOKED_AT_ONCE) return { ids, total };
  }
}

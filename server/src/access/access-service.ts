import type { NodeAccess, NodeAccessChange } from '@trellis/contract/shapes/access.ts';
import { Problem } from '#base/problem.ts';
import type { CommitPort, WriterOperation } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { Staging } from '#graph/staged-commits.ts';
import { type Principals, TYPE_ACCESS_SETTING, type TypeAccessByType } from '#graph/type-access.ts';
import type { AccessIndex } from './access-index.ts';
import { type AuditTrail, deed, type Doer } from './audit-event.ts';
import type { Caller } from './caller.ts';
import { explain, type Explanation } from './explain.ts';
import { accessOf } from './node-access.ts';
import { settingOperation, settingVersion } from './settings.ts';
import { readTypeAccess } from './type-rules.ts';
import { rulesInSchema, withGoneRules } from './gone-rules.ts';
import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';

export interface AccessServiceParts {
  readonly reader: GraphReader;
  readonly commits: CommitPort;
  readonly access: AccessIndex;
  readonly audit: AuditTrail;
}

const TO_TEAM = 'RestrictAccessToTeam';
const TO_USER = 'RestrictAccessToUser';
const OWNS = '_Owns';

/** Who may see what, as administrators and owners read and change it (open-shapes, section 4). */
export class AccessService {
  readonly #parts: AccessServiceParts;

  constructor(parts: AccessServiceParts) {
    this.#parts = parts;
  }

  types(_caller: Caller): { types: TypeAccessByType } {
    const { reader } = this.#parts;
    reader.refresh();
    return { types: rulesInSchema(readTypeAccess(reader), reader.schema()) };
  }

  /**
   * Replaces all rules but those of what was dropped from the schema, which hold for whatever gets
   * the names; effective from the next read in every thread. Throws `invalid_request`,
   * `version_conflict`.
   */
  async putTypes(
    caller: Caller,
    document: { readonly types: TypeAccessByType },
    address: string,
  ): Promise<{ types: TypeAccessByType }> {
    const { reader, commits, audit } = this.#parts;
    reader.refresh();
    checkTypeAccess(reader, document.types);
    const version = settingVersion(reader, TYPE_ACCESS_SETTING);
    const types = JSON.parse(JSON.stringify(document.types)) as TypeAccessByType;
    const stored = withGoneRules(types, readTypeAccess(reader), reader.schema());
    const target = { kind: 'settings', id: TYPE_ACCESS_SETTING };
    const event = deed('access.types-changed', { caller, address }, target, { types });
    await commits.commit({
      system: true,
      operations: [
        settingOperation(TYPE_ACCESS_SETTING, { types: stored }, version),
        audit.operation(event),
      ],
    });
    return { types };
  }

  /** The same, as a part of a larger commit. */
  over({ reader, commits }: Staging): AccessService {
    return new AccessService({ ...this.#parts, reader, commits });
  }

  /** `user` is a UID or a name. Throws `user_not_found`, `node_not_found`. */
  explain(_caller: Caller, user: string, node: string): Explanation {
    const { reader, access } = this.#parts;
    reader.refresh();
    return explain(reader, access, user, node);
  }

  /** For owners and administrators; to others the node is as good as not there, or not theirs. */
  node(caller: Caller, uid: string): NodeAccess {
    const id = this.#nodeFor(caller, uid, caller.isAdmin || caller.isReadOnlyAdmin);
    return accessOf(this.#parts.reader, id);
  }

  async putNode(
    caller: Caller,
    uid: string,
    change: NodeAccessChange,
    address: string,
  ): Promise<NodeAccess> {
    const { id, operations } = this.nodeChange({ caller, address }, uid, change);
    const { reader, commits } = this.#parts;
    await commits.commit({ system: true, operations });
    reader.refresh();
    return accessOf(reader, id);
  }

  /**
   * What changes the access of a node, and its event: for a commit with `system`. Throws
   * `forbidden`, `node_not_found`, `invalid_request`.
   */
  nodeChange(
    { caller, address }: Doer,
    uid: string,
    change: NodeAccessChange,
  ): { readonly id: number; readonly operations: readonly WriterOperation[] } {
    if (caller.isReadOnlyAdmin) throw forbidden('A read-only administrator changes nothing.');
    const { isAdmin } = caller;
    const id = this.#nodeFor(caller, uid, isAdmin);
    const { reader, audit } = this.#parts;
    const type = reader.typeOf(id) ?? '';
    if (type.startsWith('_')) {
      throw invalid('uid', `is a ${type}, which is not restricted`);
    }
    const before = accessOf(reader, id);
    this.#checkNamed(caller, isAdmin, change, before);
    const operations = [
      ...replaced(uid, TO_TEAM, before.teams, change.teams),
      ...replaced(uid, TO_USER, before.users, change.users),
    ];
    const details = { before: { teams: before.teams, users: before.users }, ...change };
    const target = { kind: 'node', id: uid };
    const event = deed('access.node-changed', { caller, address }, target, details);
    return { id, operations: [...operations, audit.operation(event)] };
  }

  #nodeFor(caller: Caller, uid: string, isAdmin: boolean): number {
    const { reader, access } = this.#parts;
    reader.refresh();
    const id = reader.id({ uid });
    if (id === undefined || !access.visibilityFor(caller).canSee(id)) {
      throw new Problem('node_not_found', 'There is no such node.');
    }
    if (isAdmin || this.#owns(caller, id)) return id;
    throw forbidden('This is for the owner of the node and for administrators.');
  }

  #owns(caller: Caller, id: number): boolean {
    const { reader } = this.#parts;
    const user = caller.userUid === null ? undefined : reader.id({ uid: caller.userUid });
    // Few own one node, where one may own many.
    return user !== undefined && reader.neighbors(id, 'in', OWNS).includes(user);
  }

  /**
   * An owner may add any active user, and the teams that they are in; what is there already may
   * stay.
   */
  #checkNamed(
    caller: Caller,
    isAdmin: boolean,
    { teams = [], users = [] }: NodeAccessChange,
    before: NodeAccess,
  ): void {
    const { reader, access } = this.#parts;
    const own = new Set(isAdmin || caller.userUid === null ? [] : access.teamsOf(caller.userUid));
    teams.forEach((uid, i) => {
      if (before.teams.includes(uid)) return;
      const id = reader.id({ uid });
      if (id === undefined || reader.typeOf(id) !== '_AccessGroup' || !(isAdmin || own.has(uid))) {
        throw invalid(`teams.${i}`, isAdmin ? 'is no team' : 'is no team of yours');
      }
    });
    users.forEach((uid, i) => {
      if (before.users.includes(uid)) return;
      const id = reader.id({ uid });
      if (
        id === undefined ||
        reader.typeOf(id) !== '_User' ||
        reader.field(id, 'Active') !== true
      ) {
        throw invalid(`users.${i}`, 'is no active user');
      }
    });
  }
}

function forbidden(message: string): Problem {
  return new Problem('forbidden', message, { details: { role: 'admin-write' } });
}

function replaced(
  uid: string,
  edge: string,
  before: readonly string[],
  after: readonly string[] | undefined,
): WriterOperation[] {
  if (after === undefined) return [];
  const from = { uid };
  const links = after
    .filter((one) => !before.includes(one))
    .map((to): WriterOperation => ({ op: 'link', from, edge, to: { uid: to } }));
  const unlinks = before
    .filter((one) => !after.includes(one))
    .map((to): WriterOperation => ({ op: 'unlink', from, edge, to: { uid: to } }));
  return [...links, ...unlinks];
}

function invalid(path: string, message: string): Problem {
  return new Problem('invalid_request', `body, ${path}: ${message}`, {
    details: { fields: [{ path, message }] },
  });
}

/** System types that have rules: the others are administrators' only. */
const SYSTEM_TYPES_WITH_RULES: ReadonlySet<string> = new Set(['_User', '_AccessGroup']);
/** Fields that every visible node shows: they cannot be withheld. */
const NOT_WITHHELD: ReadonlySet<string> = new Set(['UID', 'Type', 'Timestamp']);

interface Fault {
  readonly path: string;
  readonly message: string;
}

/** Throws `invalid_request`, naming every type, field, team and user that there is not. */
export function checkTypeAccess(
  reader: GraphReader,
  types: TypeAccessByType,
  schema: SchemaDocument = reader.schema(),
): void {
  const known = new Map(
    schema.nodes.map(({ type, key, fields }) => [
      type,
      new Set([...Object.keys(fields), ...(key === undefined ? [] : [key]), 'Id']),
    ]),
  );
  const faults: Fault[] = [];
  for (const [type, { fields = {}, writableBy }] of Object.entries(types)) {
    const path = `types.${type}`;
    const names = known.get(type);
    if (names === undefined) {
      faults.push({ path, message: 'is not a node type' });
    } else if (type.startsWith('_') && !SYSTEM_TYPES_WITH_RULES.has(type)) {
      faults.push({ path, message: 'is a type for administrators only' });
    } else {
      if (writableBy !== undefined && type.startsWith('_')) {
        faults.push({ path: `${path}.writableBy`, message: 'is not for a built-in type' });
      }
      faults.push(...faultsOfPrincipals(reader, writableBy ?? {}, `${path}.writableBy`));
      for (const [field, access] of Object.entries(fields)) {
        const at = `${path}.fields.${field}`;
        if (NOT_WITHHELD.has(field)) faults.push({ path: at, message: 'is never withheld' });
        else if (!names.has(field)) faults.push({ path: at, message: `is not a field of ${type}` });
        faults.push(...faultsOfPrincipals(reader, access, at));
      }
    }
  }
  const [first] = faults;
  if (first === undefined) return;
  throw new Problem('invalid_request', `body, ${first.path}: ${first.message}`, {
    details: { fields: faults },
  });
}

function faultsOfPrincipals(
  reader: GraphReader,
  { teams = [], users = [] }: Principals,
  path: string,
): Fault[] {
  const isOf = (uid: string, type: string): boolean => {
    const id = reader.id({ uid });
    return id !== undefined && reader.typeOf(id) === type;
  };
  const faults: Fault[] = [];
  teams.forEach((uid, i) => {
    if (!isOf(uid, '_AccessGroup'))
      faults.push({ path: `${path}.teams.${i}`, message: 'is no team' });
  });
  users.forEach((uid, i) => {
    if (!isOf(uid, '_User')) faults.push({ path: `${path}.users.${i}`, message: 'is no user' });
  });
  return faults;
}

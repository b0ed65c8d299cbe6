import { emailAddress } from '@trellis/contract/shapes/user.ts';
import {
  SCIM_URNS,
  type ScimList,
  type ScimListQuery,
  type ScimUser,
} from '@trellis/contract/shapes/scim.ts';
import { type AuditAction, deed, type Doer } from '#access/audit-event.ts';
import type { Caller } from '#access/caller.ts';
import { USER_NAME_TYPE, userIdOfName, userKey } from '#access/user-names.ts';
import { must } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import type { WriterOperation } from '#graph/operations.ts';
import {
  checkAddressIsFree,
  checkAnAdministratorIsLeft,
  checkNameIsFree,
  endedAccess,
} from '../account-checks.ts';
import { addressChange } from '../user-addresses.ts';
import { checkPasswordStrength, hashPassword } from '../passwords.ts';
import { findUser, type UserRecord, userUid } from '../users.ts';
import { type VaultWrite, writeCredential } from '../vault.ts';
import {
  type Account,
  type AccountChange,
  differing,
  fieldsOf,
  patchedAccount,
  readAccount,
} from './scim-account.ts';
import { filterOf, type ScimFilter, soleEquality } from './scim-filter.ts';
import type { Json } from './scim-json.ts';
import { applyPatch, parsePatch } from './scim-patch.ts';
import { scimFault } from './scim-problem.ts';
import {
  checkVersion,
  externalIdChange,
  notManaged,
  notThere,
  pageOfResources,
  SCIM_PATH,
  SCIM_SOURCE,
  type ScimParts,
  type ScimTarget,
  selected,
  uidOfExternalId,
  versionTag,
} from './scim-resource.ts';

type Selection = Parameters<typeof selected>[1];

/**
 * Users as an identity provider keeps them. It sees all; of a user who was made here it changes
 * nothing but that it may deactivate one who is no administrator, until an administrator has handed
 * the user over.
 */
export class ScimUsers {
  readonly #parts: ScimParts;

  constructor(parts: ScimParts) {
    this.#parts = parts;
  }

  list(caller: Caller, query: ScimListQuery): Promise<ScimList<ScimUser>> {
    const { reader } = this.#parts;
    const filter = filterOf(query);
    reader.refresh();
    const presentWhole = (id: number): Json | undefined => this.#present(id);
    return pageOfResources<ScimUser>(
      {
        reader,
        caller,
        total: () => reader.countOfType('_User') - reader.countOfType('_ScimDeleted'),
        ids: (skip, take) => this.#ids(skip, take),
        found: filter && this.#found(filter),
        filter,
        presentWhole,
        present: (id) => {
          const user = presentWhole(id);
          return user && selected(user, query);
        },
      },
      query,
    );
  }

  get(id: string, query: Selection = {}): ScimUser {
    this.#parts.reader.refresh();
    return selected(this.#presentUid(id), query) as ScimUser;
  }

  /** Throws `user_exists`. */
  create(caller: Caller, body: Json, address: string): Promise<ScimUser> {
    const read = readAccount(body);
    const { userName } = read;
    if (typeof userName !== 'string') throw scimFault('invalidValue', 'userName: is missing');
    const isAddress = emailAddress.safeParse(userName).success;
    const account = {
      active: true,
      ...read,
      userName,
      email: read.email ?? (isAddress ? userName : undefined),
    };
    return this.#parts.userChanges.run(async () => {
      const { reader } = this.#parts;
      reader.refresh();
      const named = userIdOfName(reader, userName);
      const uid = (named === undefined ? undefined : reader.uid(named)) ?? userUid(userName);
      // Whom an administrator has taken back since is not brought back, but taken.
      const isBack = isDeleted(this.#parts, uid) && this.#isManaged(uid);
      if (!isBack) checkNameIsFree(reader, userName);
      const before = isBack ? this.#account(uid) : undefined;
      const change = before === undefined ? account : differing(before, account);
      if (isBack) this.#checkMayChange(uid, change);
      await this.#commit({ caller, address }, uid, before, change);
      return this.get(uid);
    });
  }

  /** Attributes that the body leaves out stay as they are. */
  replace(caller: Caller, target: ScimTarget, body: Json, address: string): Promise<ScimUser> {
    const change = readAccount(body);
    return this.#change(caller, target, () => change, address);
  }

  patch(caller: Caller, target: ScimTarget, body: Json, address: string): Promise<ScimUser> {
    const operations = parsePatch(body);
    return this.#change(
      caller,
      target,
      (before) => {
        const after = structuredClone(before);
        applyPatch(after, operations);
        return patchedAccount(before, after);
      },
      address,
    );
  }

  /** Deactivates the user and takes them out of the teams that SCIM keeps. */
  delete(caller: Caller, target: ScimTarget, address: string): Promise<void> {
    return this.#parts.userChanges.run(async () => {
      const { reader } = this.#parts;
      reader.refresh();
      const user = this.#presentUid(target.id);
      checkVersion(target, versionOf(user));
      if (!this.#isManaged(target.id)) {
        throw notManaged('The user was made here: SCIM may deactivate, but not delete them.');
      }
      const id = must(reader.id({ uid: target.id }), 'a user');
      const kept = reader
        .neighbors(id, 'out', '_MemberOf')
        .filter((team) => reader.field(team, 'Source') === SCIM_SOURCE);
      const operations: WriterOperation[] = [
        ...kept.map((team) => ({
          op: 'unlink' as const,
          from: { uid: target.id },
          edge: '_MemberOf',
          to: { uid: must(reader.uid(team), 'a team') },
        })),
        { op: 'addOrUpdate', type: '_ScimDeleted', key: target.id, fields: {} },
      ];
      const before = this.#account(target.id);
      const change = { active: false, externalId: null };
      await this.#commit({ caller, address }, target.id, before, change, operations);
    });
  }

  #change(
    caller: Caller,
    target: ScimTarget,
    changeOf: (before: Json) => AccountChange,
    address: string,
  ): Promise<ScimUser> {
    return this.#parts.userChanges.run(async () => {
      this.#parts.reader.refresh();
      const present = this.#presentUid(target.id);
      checkVersion(target, versionOf(present));
      const before = this.#account(target.id);
      const change = differing(before, changeOf(present));
      this.#checkMayChange(target.id, change);
      await this.#commit({ caller, address }, target.id, before, change);
      return this.get(target.id);
    });
  }

  #checkMayChange(uid: string, change: AccountChange): void {
    const names = Object.keys(change);
    const user = must(findUser(this.#parts.reader, uid), 'a user');
    const isAdministrator = user.isAdmin || user.isReadOnlyAdmin;
    if (isAdministrator && change.password !== undefined) {
      throw notManaged('SCIM sets no password of an administrator.');
    }
    if (names.length === 0 || this.#isManaged(uid)) return;
    const isLeaving = names.length === 1 && change.active === false;
    if (isLeaving && !isAdministrator) return;
    throw notManaged(
      isAdministrator
        ? 'The user is an administrator who was made here: SCIM changes nothing of them.'
        : `The user was made here: SCIM may deactivate them, but not change ${names.join(', ')}.`,
    );
  }

  /** `before` is undefined for a user who is not there yet. */
  async #commit(
    doer: Doer,
    uid: string,
    before: Account | undefined,
    change: AccountChange,
    more: readonly WriterOperation[] = [],
  ): Promise<void> {
    const { reader, vault, commits, clock, audit } = this.#parts;
    const record = before && must(findUser(reader, uid), 'a user');
    const userName = change.userName ?? before?.userName ?? '';
    if (typeof change.email === 'string') checkAddressIsFree(reader, change.email, uid);
    if (record !== undefined && change.active === false) {
      checkAnAdministratorIsLeft(reader, record, { ...record, active: false });
    }
    const isLeaving = before?.active === true && change.active === false;
    const isBack = before !== undefined && isDeleted(this.#parts, uid);
    const vaultWrites: VaultWrite[] = isLeaving ? endedAccess(vault, uid, clock.now()) : [];
    if (change.password !== undefined)
      vaultWrites.push(await this.#credential(uid, change.password));
    const nodeKey = before === undefined ? userKey(userName) : this.#nodeKey(uid);
    const after = change.externalId === undefined ? before?.externalId : change.externalId;
    const operations: WriterOperation[] = [
      ...this.#userOperation(uid, nodeKey, before, change, record),
      ...(before === undefined ? [] : this.#rename(uid, nodeKey, before.userName, userName)),
      ...(change.email === undefined
        ? []
        : addressChange(reader, uid, { before: before?.email ?? null, after: change.email })),
      ...externalIdChange(reader, 'user', uid, {
        before: before?.externalId,
        after: after ?? undefined,
      }),
      ...(isBack ? [{ op: 'delete', type: '_ScimDeleted', key: uid } as const] : []),
      ...more,
    ];
    if (operations.length + vaultWrites.length === 0) return;
    const action: AuditAction =
      before === undefined ? 'user.created' : isLeaving ? 'user.deactivated' : 'user.changed';
    const { password, ...told } = change;
    const names = [...Object.keys(told), ...(password === undefined ? [] : ['password'])];
    const details = { via: SCIM_SOURCE, token: doer.caller.tokenId, changed: names };
    const target = { kind: 'user', id: uid, name: userName };
    await commits.commit({
      system: true,
      operations: [...operations, audit.operation(deed(action, doer, target, details))],
      vault: vaultWrites,
    });
  }

  #userOperation(
    uid: string,
    key: string,
    before: Account | undefined,
    change: AccountChange,
    record: UserRecord | undefined,
  ): WriterOperation[] {
    // Reset links and sign-ins by address would make whoever has the token an administrator.
    const isVouchedFor = record?.isAdmin !== true && record?.isReadOnlyAdmin !== true;
    const fields = fieldsOf(before, change, isVouchedFor);
    if (before === undefined) {
      const rights = { IsAdmin: false, IsReadOnlyAdmin: false, IsGuest: false };
      const all = { ...rights, ...fields, Source: SCIM_SOURCE };
      return [{ op: 'addOrUpdate', type: '_User', key, ifVersion: 0, fields: all }];
    }
    const source = isDeleted(this.#parts, uid) ? { Source: SCIM_SOURCE } : {};
    if (Object.keys({ ...fields, ...source }).length === 0) return [];
    return [{ op: 'update', uid, fields: { ...fields, ...source } }];
  }

  /** The nodes by which the user is found under the new name, and not under the old one. */
  #rename(uid: string, nodeKey: string, from: string, to: string): WriterOperation[] {
    const [old, key] = [userKey(from), userKey(to)];
    if (old === key) return [];
    checkNameIsFree(this.#parts.reader, to, uid);
    return [
      ...(old === nodeKey ? [] : [{ op: 'delete', type: USER_NAME_TYPE, key: old } as const]),
      ...(key === nodeKey
        ? []
        : [{ op: 'addOrUpdate', type: USER_NAME_TYPE, key, fields: { User: uid } } as const]),
    ];
  }

  async #credential(uid: string, password: string): Promise<VaultWrite> {
    try {
      checkPasswordStrength(password);
    } catch (error) {
      if (error instanceof Problem) throw scimFault('invalidValue', `password: ${error.message}`);
      throw error;
    }
    const passwordHash = await hashPassword(password);
    const now = this.#parts.clock.now();
    const record = { passwordHash, changedAt: now, sessionsNotBefore: now, keptSession: null };
    return writeCredential(uid, record);
  }

  /** Ids of the users that SCIM sees, oldest first. */
  #ids(skip: number, take: number): number[] {
    const { reader } = this.#parts;
    const deleted = new Set(
      reader
        .idsOfType('_ScimDeleted')
        .map((id) => reader.id({ uid: String(keyOf(this.#parts, id)) })),
    );
    if (deleted.size === 0) return reader.idsOfType('_User', { skip, take, oldestFirst: true });
    const shown = reader.idsOfType('_User', {
      oldestFirst: true,
      take: skip + take + deleted.size,
    });
    return shown.filter((id) => !deleted.has(id)).slice(skip, skip + take);
  }

  /** The user whom a filter names by an attribute that has an index. */
  #found(filter: ScimFilter): readonly number[] | undefined {
    const { reader } = this.#parts;
    const name = soleEquality(filter, 'username');
    const externalId = soleEquality(filter, 'externalid');
    const uid = soleEquality(filter, 'id') ?? this.#uidOf(externalId);
    if (name === undefined && externalId === undefined && uid === undefined) return undefined;
    const id = name === undefined ? uid && reader.id({ uid }) : userIdOfName(reader, name);
    return typeof id === 'number' && this.#present(id) !== undefined ? [id] : [];
  }

  #uidOf(externalId: string | undefined): string | undefined {
    return externalId === undefined
      ? undefined
      : uidOfExternalId(this.#parts.reader, 'user', externalId);
  }

  #isManaged(uid: string): boolean {
    const { reader } = this.#parts;
    const id = reader.id({ uid });
    return id !== undefined && reader.field(id, 'Source') === SCIM_SOURCE;
  }

  #nodeKey(uid: string): string {
    const { reader } = this.#parts;
    return String(keyOf(this.#parts, must(reader.id({ uid }), 'a user')) ?? '');
  }

  #account(uid: string): Account {
    const { reader } = this.#parts;
    const node = must(reader.node(must(reader.id({ uid }), 'a user')), 'a user');
    const text = (name: string): string | undefined =>
      typeof node[name] === 'string' && node[name] !== '' ? node[name] : undefined;
    return {
      userName: text('UserName') ?? '',
      externalId: text('ExternalId'),
      firstName: text('FirstName'),
      lastName: text('LastName'),
      fullName: text('FullName'),
      email: text('Email'),
      active: node['Active'] === true,
    };
  }

  #presentUid(uid: string): Json {
    const id = this.#parts.reader.id({ uid });
    const user = id === undefined ? undefined : this.#present(id);
    if (user === undefined) throw notThere();
    return user;
  }

  /** Undefined for what is no user, and for one who was deleted. */
  #present(id: number): Json | undefined {
    const { reader, publicUrl } = this.#parts;
    const uid = reader.uid(id);
    if (uid === undefined || reader.typeOf(id) !== '_User' || isDeleted(this.#parts, uid)) {
      return undefined;
    }
    const {
      userName,
      externalId,
      firstName,
      lastName,
      fullName: whole,
      email,
      active,
    } = this.#account(uid);
    const base = `${publicUrl()}${SCIM_PATH}`;
    const groups = reader.neighbors(id, 'out', '_MemberOf').map((team) => {
      const value = reader.uid(team) ?? '';
      const display = String(reader.field(team, 'Name') ?? value);
      return { value, display, type: 'direct', $ref: `${base}/Groups/${value}` };
    });
    return {
      schemas: [SCIM_URNS.user],
      id: uid,
      ...given({ externalId }),
      userName,
      name: given({ formatted: whole, givenName: firstName, familyName: lastName }),
      ...given({ displayName: whole }),
      ...(email === undefined ? {} : { emails: [{ value: email, type: 'work', primary: true }] }),
      active,
      groups,
      meta: {
        resourceType: 'User',
        created: String(reader.field(id, 'Timestamp') ?? reader.node(id)?.Timestamp),
        location: `${base}/Users/${uid}`,
        version: versionTag(String(reader.version(id))),
      },
    };
  }
}

function keyOf({ reader }: ScimParts, id: number): unknown {
  return reader.field(id, 'Id');
}

function isDeleted({ reader }: ScimParts, uid: string): boolean {
  return reader.id({ type: '_ScimDeleted', key: uid }) !== undefined;
}

function versionOf(user: Json): string {
  return String(Object(user['meta']).version);
}

/** Without the members that are undefined. */
function given(members: Readonly<Record<string, string | undefined>>): Json {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

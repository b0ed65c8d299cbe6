import type { List } from '@trellis/contract/shapes/list.ts';
import type { UserChange, UserNode } from '@trellis/contract/shapes/user.ts';
import { isDeepStrictEqual } from 'node:util';
import type { AccessIndex } from '#access/access-index.ts';
import { type AuditTrail, deed, type Doer } from '#access/audit-event.ts';
import type { Caller } from '#access/caller.ts';
import type { Clock } from '#base/clock.ts';
import { must } from '#base/assert.ts';
import { userKey } from '#access/user-names.ts';
import { Problem } from '#base/problem.ts';
import type { CommitPort, CommitRequest, WriterOperation } from '#graph/operations.ts';
import type { FieldValue } from '#graph/field-types.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { OneAtATime } from '#base/one-at-a-time.ts';
import {
  checkAddressIsFree,
  checkAnAdministratorIsLeft,
  checkNameIsFree,
  endedAccess,
} from './account-checks.ts';
import { checkPasswordStrength, hashPassword } from './passwords.ts';
import { addressChange } from './user-addresses.ts';
import { pageOfNodes, type SearchPage } from './node-pages.ts';
import {
  checkGuestIsNoAdmin,
  checkMayChange,
  checkMayRead,
  isWritingAdmin,
  type UserRights,
} from './user-rules.ts';
import { findUser, type UserRecord, userUid } from './users.ts';
import { type VaultReader, writeCredential } from './vault.ts';
import { randomBytes } from 'node:crypto';

export interface UserServiceParts {
  readonly reader: GraphReader;
  readonly vault: VaultReader;
  readonly commits: CommitPort;
  readonly clock: Clock;
  readonly access: AccessIndex;
  readonly audit: AuditTrail;
  /** Changes of users, whoever makes them. */
  readonly changes: OneAtATime;
}

const SEARCHED = ['UserName', 'FullName', 'Email'] as const;

/** Users as people manage them (open-shapes, section 3). */
export class UserService {
  readonly #parts: UserServiceParts;

  constructor(parts: UserServiceParts) {
    this.#parts = parts;
  }

  /** By name; as the caller may see them (specification, section 2.6). */
  list(caller: Caller, page: SearchPage): Promise<List<UserNode>> {
    const { reader, access } = this.#parts;
    reader.refresh();
    const ids = reader.idsOfType('_User');
    const visibility = () => access.visibilityFor(caller);
    const isShown = (id: number) => visibility().canSee(id, '_User');
    const users = { reader, caller, visibility, ids, isShown, searched: SEARCHED };
    return pageOfNodes<UserNode>(users, page);
  }

  get(caller: Caller, uid: string): UserNode {
    this.#parts.reader.refresh();
    checkMayRead(caller, uid);
    return this.#node(uid);
  }

  /** Throws `user_exists` when the name or the address is taken, `weak_password`. */
  create(caller: Caller, user: NewAccount, address: string): Promise<UserNode> {
    return this.#parts.changes.run(async () => {
      const { commits, clock, audit } = this.#parts;
      const uid = userUid(user.userName);
      checkGuestIsNoAdmin(user);
      if (user.password !== undefined) checkPasswordStrength(user.password);
      const hash = user.password === undefined ? undefined : await hashPassword(user.password);
      this.#parts.reader.refresh();
      checkNameIsFree(this.#parts.reader, user.userName);
      checkAddressIsFree(this.#parts.reader, user.email, uid);
      const credential = { changedAt: clock.now(), sessionsNotBefore: 0, keptSession: null };
      const { roles = [], isAdmin = false, isReadOnlyAdmin = false, isGuest = false } = user;
      const rights = { roles, isAdmin, isReadOnlyAdmin, isGuest };
      const target = { kind: 'user', id: uid, name: user.userName };
      await commits.commit({
        system: true,
        operations: [
          {
            op: 'addOrUpdate',
            type: '_User',
            key: userKey(user.userName),
            ifVersion: 0,
            fields: { ...fieldsOfNew(user), ...rightsFields(rights) },
          },
          ...addressChange(this.#parts.reader, uid, { before: null, after: user.email }),
          audit.operation(deed('user.created', { caller, address }, target, rights)),
        ],
        vault:
          hash === undefined ? [] : [writeCredential(uid, { passwordHash: hash, ...credential })],
      });
      return this.#node(uid);
    });
  }

  /** Throws `forbidden`, `user_not_found`, `user_exists`, `last_administrator`. */
  update(caller: Caller, uid: string, change: UserChange, address: string): Promise<UserNode> {
    return this.#parts.changes.run(async () => {
      this.#parts.reader.refresh();
      const user = this.#userFor(caller, uid);
      checkMayChange(caller, user, change);
      if (change.preferences !== undefined && caller.userUid !== uid && !isWritingAdmin(caller)) {
        throw new Problem('forbidden', 'Preferences are the user’s own.', {
          details: { role: 'admin-write' },
        });
      }
      if (change.source !== undefined && !isWritingAdmin(caller)) {
        throw new Problem('forbidden', 'Only an administrator hands a user over.', {
          details: { role: 'admin-write' },
        });
      }
      if (change.email !== undefined) checkAddressIsFree(this.#parts.reader, change.email, uid);
      const after = { ...user, ...definedRights(change) };
      checkGuestIsNoAdmin(after);
      checkAnAdministratorIsLeft(this.#parts.reader, user, after);
      await this.#commitChange({ caller, address }, user, change, after);
      const node = this.#node(uid);
      const id = must(this.#parts.reader.id({ uid }), 'a user that was changed');
      return this.#parts.access.visibilityFor(caller).present(id, node) as UserNode;
    });
  }

  /**
   * The sessions of the user end, and tokens that act as the user work no more. Once more changes
   * nothing.
   */
  deactivate(caller: Caller, uid: string, address: string): Promise<void> {
    return this.#parts.changes.run(async () => {
      this.#parts.reader.refresh();
      const user = this.#userFor(caller, uid);
      checkMayChange(caller, user, { active: false });
      if (!user.active) return;
      const after = { ...user, active: false };
      checkAnAdministratorIsLeft(this.#parts.reader, user, after);
      await this.#commitChange({ caller, address }, user, { active: false }, after);
    });
  }

  async #commitChange(
    doer: Doer,
    user: UserRecord,
    change: UserChange,
    after: UserRecord,
  ): Promise<void> {
    const { commits, audit } = this.#parts;
    const target = { kind: 'user', id: user.uid, name: user.userName };
    const ends = user.active && !after.active;
    const rights = changedRights(user, after);
    const action = ends ? 'user.deactivated' : 'user.changed';
    const changed = Object.keys(change);
    const fields = {
      ...this.#changedFields(user, change, isWritingAdmin(doer.caller)),
      ...rightsFields(rights),
    };
    const node = this.#node(user.uid);
    if (Object.entries(fields).every(([name, value]) => isDeepStrictEqual(node[name], value)))
      return;
    const request: CommitRequest = {
      system: true,
      operations: [
        {
          op: 'update',
          uid: user.uid,
          fields,
        },
        ...(change.email === undefined
          ? []
          : addressChange(this.#parts.reader, user.uid, {
              before: user.email,
              after: change.email,
            })),
        ...this.#undeleted(user, change, after),
        audit.operation(deed(action, doer, target, { changed })),
        ...(Object.keys(rights).length === 0 || ends
          ? []
          : [audit.operation(deed('role.changed', doer, target, rights))]),
      ],
      vault: ends ? endedAccess(this.#parts.vault, user.uid, this.#parts.clock.now()) : [],
    };
    await commits.commit(request);
  }

  /** Whom SCIM has deleted is there for it again once an administrator says whose they are. */
  #undeleted(user: UserRecord, change: UserChange, after: UserRecord): WriterOperation[] {
    const isDecided = change.source !== undefined || (after.active && !user.active);
    const deleted = { type: '_ScimDeleted', key: user.uid };
    const isDeleted = isDecided && this.#parts.reader.id(deleted) !== undefined;
    return isDeleted ? [{ op: 'delete', ...deleted }] : [];
  }

  #changedFields(
    user: UserRecord,
    change: UserChange,
    vouches: boolean,
  ): Record<string, FieldValue> {
    const node = this.#node(user.uid);
    const first = change.firstName ?? node['FirstName'];
    const last = change.lastName ?? node['LastName'];
    const namesChange = change.firstName !== undefined || change.lastName !== undefined;
    const isNewAddress = change.email !== undefined && change.email !== node['Email'];
    return {
      ...(change.firstName === undefined ? {} : { FirstName: change.firstName }),
      ...(change.lastName === undefined ? {} : { LastName: change.lastName }),
      ...(namesChange ? { FullName: fullName(first, last, user.userName) } : {}),
      ...(change.email === undefined ? {} : { Email: change.email }),
      // Reset links go to confirmed addresses only: whoever may change the address would have the
      // account.
      ...(change.email !== undefined && (isNewAddress || vouches) ? { Confirmed: vouches } : {}),
      ...(change.source === undefined ? {} : { Source: change.source }),
      ...(change.preferences === undefined
        ? {}
        : { Preferences: JSON.parse(JSON.stringify(change.preferences)) }),
    };
  }

  /** Somebody who may not read other users does not learn which there are. */
  #userFor(caller: Caller, uid: string): UserRecord {
    const user = findUser(this.#parts.reader, uid);
    if (user !== undefined) return user;
    if (!caller.roles.includes('CanManageUsers')) checkMayRead(caller, uid);
    throw notFound();
  }

  #node(uid: string): UserNode {
    const { reader } = this.#parts;
    reader.refresh();
    const id = reader.id({ uid });
    const node = id === undefined ? undefined : reader.node(id);
    if (node?.Type !== '_User') throw notFound();
    return node as UserNode;
  }
}

function notFound(): Problem {
  return new Problem('user_not_found', 'There is no such user.');
}

interface NewAccount extends Omit<UserRights, 'active'> {
  readonly userName: string;
  readonly email: string;
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
  readonly password?: string | undefined;
}

export function fieldsOfNew(user: NewAccount): Record<string, FieldValue> {
  const { userName, firstName, lastName, email } = user;
  return {
    UserName: userName,
    Email: email,
    ...(firstName === undefined ? {} : { FirstName: firstName }),
    ...(lastName === undefined ? {} : { LastName: lastName }),
    FullName: fullName(firstName, lastName, userName),
    Active: true,
    Confirmed: true,
  };
}

export function fullName(first: unknown, last: unknown, userName: string): string {
  const names = [first, last].filter((name) => typeof name === 'string' && name !== '');
  return names.length === 0 ? userName : names.join(' ');
}

const FIELD_OF_RIGHT = {
  roles: 'Roles',
  isAdmin: 'IsAdmin',
  isReadOnlyAdmin: 'IsReadOnlyAdmin',
  isGuest: 'IsGuest',
  active: 'Active',
} as const;

type Rights = Pick<UserRecord, keyof typeof FIELD_OF_RIGHT>;
const RIGHTS = Object.keys(FIELD_OF_RIGHT) as (keyof Rights)[];

export function definedRights(change: UserRights): Partial<Rights> {
  return Object.fromEntries(
    RIGHTS.filter((right) => change[right] !== undefined).map((right) => [right, change[right]]),
  );
}

function changedRights(before: Rights, after: Rights): Partial<Rights> {
  return Object.fromEntries(
    RIGHTS.filter((right) => JSON.stringify(before[right]) !== JSON.stringify(after[right])).map(
      (right) => [right, after[right]],
    ),
  );
}

export function rightsFields(rights: Partial<Rights>): Record<string, FieldValue> {
  const fields: Record<string, FieldValue> = {};
  for (const right of RIGHTS) {
    const value = rights[right];
    if (value !== undefined) fields[FIELD_OF_RIGHT[right]] = value as FieldValue;
  }
  return fields;
}

export const FIRST_ADMINISTRATOR = 'admin';

/** The administrator of a preview, beside the users of the workspace that it is a copy of. */
export const PREVIEW_ADMINISTRATOR = 'preview';

/**
 * Creates the first administrator (open-shapes, section 1) with the given password, or a random
 * one. Answers the password when it made it: the only time that anybody can see it.
 */
export async function createFirstAdministrator(
  commits: CommitPort,
  clock: Clock,
  givenPassword: string | undefined,
): Promise<{ readonly generatedPassword: string | null }> {
  const password = givenPassword ?? randomBytes(18).toString('base64url');
  await writeAdministrator(commits, clock, { name: FIRST_ADMINISTRATOR, password, ifVersion: 0 });
  return { generatedPassword: givenPassword === undefined ? password : null };
}

/** Makes an administrator of this name, whoever had it before. */
export async function writeAdministrator(
  commits: CommitPort,
  clock: Clock,
  account: { readonly name: string; readonly password: string; readonly ifVersion?: number },
): Promise<void> {
  const { name, password, ifVersion } = account;
  const rights = { isAdmin: true, isReadOnlyAdmin: false, isGuest: false, active: true };
  await commits.commit({
    system: true,
    operations: [
      {
        op: 'addOrUpdate',
        type: '_User',
        key: userKey(name),
        fields: {
          UserName: name,
          FullName: 'Administrator',
          ...rightsFields(rights),
          Confirmed: true,
        },
        ...(ifVersion === undefined ? {} : { ifVersion }),
      },
    ],
    vault: [
      writeCredential(userUid(name), {
        passwordHash: await hashPassword(password),
        changedAt: clock.now(),
        sessionsNotBefore: 0,
        keptSession: null,
      }),
    ],
  });
}

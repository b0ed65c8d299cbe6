import type { AuditTrail } from '#access/audit-event.ts';
import { userKey } from '#access/user-names.ts';
import type { CommitPort, WriterOperation } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import {
  confirmedUsers,
  findUser,
  findUserByName,
  findUsersByEmail,
  type UserRecord,
  userUid,
} from '../users.ts';
import { addressChange } from '../user-addresses.ts';
import type { VaultReader, VaultWrite } from '../vault.ts';
import type { OneAtATime } from '#base/one-at-a-time.ts';
import { grantedTeams, linkedSubject, linkedUser, linkRecords } from './account-links.ts';
import {
  type AdmissionRules,
  checkDomain,
  domainOf,
  type ProvenIdentity,
} from './proven-identity.ts';
import { userNotAllowed } from './sso-problems.ts';
import { isTeam } from './setting-change.ts';

export interface SsoAccountParts {
  readonly reader: GraphReader;
  readonly vault: VaultReader;
  readonly commits: CommitPort;
  readonly audit: AuditTrail;
  /**
   * Changes of users, one after the other: or two accounts could be linked to one user, or two
   * users get one address.
   */
  readonly changes: OneAtATime;
}

/** How and from where somebody comes in: for the audit trail. */
export interface Arrival {
  /** The provider, for example `googlesso` or `saml/corporate`. */
  readonly via: string;
  readonly address: string;
}

/**
 * From somebody at an identity provider to a user here: by the account they signed in with before,
 * else by their verified address, else a new user. Memberships that came of the provider's groups
 * follow the groups; others stay.
 */
export class SsoAccounts {
  readonly #parts: SsoAccountParts;

  constructor(parts: SsoAccountParts) {
    this.#parts = parts;
  }

  /**
   * The UID of the user, whose record is up to date then; `records` of the vault go into the same
   * commit. Throws `sso_domain_not_allowed` and `sso_user_not_allowed`.
   */
  admit(
    identity: ProvenIdentity,
    rules: AdmissionRules,
    arrival: Arrival,
    records: readonly VaultWrite[] = [],
  ): Promise<string> {
    return this.#parts.changes.run(() => this.#admitNext(identity, rules, arrival, records));
  }

  async #admitNext(
    identity: ProvenIdentity,
    rules: AdmissionRules,
    arrival: Arrival,
    records: readonly VaultWrite[],
  ): Promise<string> {
    const { reader, vault, commits } = this.#parts;
    checkDomain(domainOf(identity.email), rules.allowedDomains);
    reader.refresh();
    const { issuer, subject, email } = identity;
    const user = this.#find(identity, rules);
    if (user === undefined && !rules.createUsers) throw userNotAllowed('unknown_user');
    if (user?.active === false) throw userNotAllowed('deactivated');
    if (user === undefined && isNameTaken(reader, email)) {
      throw userNotAllowed('user_name_taken');
    }
    const uid = user?.uid ?? userUid(email);
    const isLinked = subject === null || linkedUser(vault, issuer, subject) === uid;
    const granted = grantedTeams(vault, uid, issuer);
    const { groups } = identity;
    const teams =
      groups === null
        ? { joined: [], left: [], granted }
        : teamChange(reader, uid, { groups, granted }, rules.groupTeams);
    const links = linkRecords(vault, uid, identity, teams.granted);
    const operations = [
      ...(user === undefined ? this.#creation(identity, arrival) : []),
      ...(user === undefined || isLinked ? [] : [this.#linkEvent(user, identity, arrival)]),
      ...this.#teamOperations({ uid, name: user?.userName ?? email }, teams, arrival),
    ];
    if (operations.length + links.length + records.length > 0) {
      await commits.commit({ system: true, operations, vault: [...records, ...links] });
    }
    return uid;
  }

  #find({ issuer, subject, email }: ProvenIdentity, rules: AdmissionRules): UserRecord | undefined {
    const { reader, vault } = this.#parts;
    const linked = subject === null ? undefined : linkedUser(vault, issuer, subject);
    const known = linked === undefined ? undefined : findUser(reader, linked);
    if (known !== undefined) return known;
    const sameAddress = findUsersByEmail(reader, email);
    const [user, second] = confirmedUsers(sameAddress);
    if (second !== undefined) throw userNotAllowed('ambiguous_email');
    if (user === undefined) {
      // The users with this address have only written it down: the person who comes in is somebody
      // else, and new here.
      if (sameAddress.length > 0 && !rules.createUsers) {
        throw userNotAllowed('address_not_confirmed');
      }
      return undefined;
    }
    const otherSubject = linkedSubject(vault, user.uid, issuer);
    if (otherSubject !== undefined && otherSubject !== subject) {
      throw userNotAllowed('linked_to_another');
    }
    return user;
  }

  #creation(identity: ProvenIdentity, { via, address }: Arrival): WriterOperation[] {
    const { email, firstName, lastName } = identity;
    const joined = [firstName, lastName].filter((name) => name !== null).join(' ');
    return [
      {
        op: 'addOrUpdate',
        type: '_User',
        key: userKey(email),
        ifVersion: 0,
        fields: {
          UserName: email,
          Email: email,
          FullName: identity.fullName ?? (joined === '' ? email : joined),
          ...(firstName === null ? {} : { FirstName: firstName }),
          ...(lastName === null ? {} : { LastName: lastName }),
          Active: true,
          Confirmed: true,
        },
      },
      ...addressChange(this.#parts.reader, userUid(email), { before: null, after: email }),
      this.#parts.audit.operation({
        action: 'user.created',
        actor: null,
        target: { kind: 'user', id: userUid(email), name: email },
        outcome: 'success',
        address,
        details: { via },
      }),
    ];
  }

  #linkEvent(user: UserRecord, { issuer }: ProvenIdentity, from: Arrival): WriterOperation {
    return this.#parts.audit.operation({
      action: 'user.changed',
      actor: null,
      target: { kind: 'user', id: user.uid, name: user.userName },
      outcome: 'success',
      address: from.address,
      details: { via: from.via, linkedTo: issuer },
    });
  }

  #teamOperations(
    user: { readonly uid: string; readonly name: string },
    { joined, left }: MembershipChange,
    { via, address }: Arrival,
  ): WriterOperation[] {
    if (joined.length + left.length === 0) return [];
    const edge =
      (op: 'link' | 'unlink') =>
      (team: string): WriterOperation => ({
        op,
        from: { uid: user.uid },
        edge: '_MemberOf',
        to: { uid: team },
      });
    return [
      ...joined.map(edge('link')),
      ...left.map(edge('unlink')),
      this.#parts.audit.operation({
        action: 'team.members-changed',
        actor: null,
        target: { kind: 'user', id: user.uid, name: user.name },
        outcome: 'success',
        address,
        details: { via, joined, left },
      }),
    ];
  }
}

/** Whether it is somebody's name, or was before they were renamed. */
function isNameTaken(reader: GraphReader, name: string): boolean {
  return (
    findUserByName(reader, name) !== undefined || findUser(reader, userUid(name)) !== undefined
  );
}

/** UIDs of teams. */
interface MembershipChange {
  readonly joined: readonly string[];
  readonly left: readonly string[];
  /** The teams that the user is in because of their groups, after the change. */
  readonly granted: readonly string[];
}

/**
 * The change by which a user's teams follow their groups: into each team that one of the groups is
 * mapped to, and out of each team in `granted` that none is mapped to any more. Memberships that
 * were given by hand stay.
 */
export function teamChange(
  reader: GraphReader,
  uid: string,
  { groups, granted }: { readonly groups: readonly string[]; readonly granted: readonly string[] },
  groupTeams: Readonly<Record<string, string>>,
): MembershipChange {
  const mapped = new Map(Object.entries(groupTeams).filter(([, team]) => isTeam(reader, team)));
  const wanted = new Set(groups.flatMap((group) => mapped.get(group) ?? []));
  const id = reader.id({ uid });
  const present = new Set(
    id === undefined
      ? []
      : reader.neighbors(id, 'out', '_MemberOf').map((team) => reader.uid(team)),
  );
  const joined = [...wanted].filter((team) => !present.has(team));
  const kept = granted.filter((team) => present.has(team) && wanted.has(team));
  return {
    joined,
    left: granted.filter((team) => present.has(team) && !wanted.has(team)),
    granted: [...kept, ...joined].toSorted(),
  };
}

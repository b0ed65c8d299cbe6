import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Caller } from '#access/caller.ts';
import { definedRights } from './user-service.ts';
import { checkMayChange, isWritingAdmin, type UserRights } from './user-rules.ts';
import type { UserRecord } from './users.ts';

const ROLES = ['CanManageSynonyms', 'CanManageUsers', 'CanManageTeams'];
const FLAGS = ['isAdmin', 'isReadOnlyAdmin', 'isGuest', 'active'] as const;

const roles = fc.subarray(ROLES);
const rights = fc.record({
  roles,
  isAdmin: fc.boolean(),
  isReadOnlyAdmin: fc.boolean(),
  isGuest: fc.boolean(),
  active: fc.boolean(),
});
const change: fc.Arbitrary<UserRights> = fc.record(
  {
    roles,
    isAdmin: fc.boolean(),
    isReadOnlyAdmin: fc.boolean(),
    isGuest: fc.boolean(),
    active: fc.boolean(),
  },
  { requiredKeys: [] },
);
type Rights = Required<{ readonly [Right in keyof UserRights]: NonNullable<UserRights[Right]> }>;

function user(uid: string, own: Rights): UserRecord {
  return { uid, userName: uid, fullName: uid, email: null, isConfirmed: false, ...own };
}

function callerOf({ uid, userName, ...own }: UserRecord): Caller {
  const { isAdmin, isReadOnlyAdmin, isGuest } = own;
  return {
    kind: 'session',
    userUid: uid,
    userName,
    isAdmin,
    isReadOnlyAdmin,
    isGuest,
    roles: own.roles,
    scopes: [],
    endpointPath: null,
    tokenId: uid,
  };
}

function isAllowed(who: UserRecord, whom: UserRecord, wanted: UserRights): boolean {
  try {
    checkMayChange(callerOf(who), whom, wanted);
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: 'forbidden' });
    return false;
  }
}

/** The rule as open-shapes and the specification have it, in words of sets. */
function shouldBeAllowed(who: UserRecord, whom: UserRecord, wanted: UserRights): boolean {
  const before = new Set(whom.roles);
  const after = new Set(wanted.roles ?? whom.roles);
  const touched = after.symmetricDifference(before);
  const keepsFlags = FLAGS.every(
    (flag) => wanted[flag] === undefined || wanted[flag] === whom[flag],
  );
  if (who.uid === whom.uid) return keepsFlags && after.isSubsetOf(before);
  if (who.isReadOnlyAdmin) return false;
  if (who.isAdmin) return true;
  const isPlain = !whom.isAdmin && !whom.isReadOnlyAdmin;
  const holds = new Set(who.roles);
  return holds.has('CanManageUsers') && isPlain && keepsFlags && touched.isSubsetOf(holds);
}

test('who may change whom: exactly as the rule has it', () => {
  fc.assert(
    fc.property(rights, rights, fc.boolean(), change, (whoHas, whomHas, isSelf, wanted) => {
      const who = user('who', whoHas);
      const whom = isSelf ? who : user('whom', whomHas);
      expect(isAllowed(who, whom, wanted)).toBe(shouldBeAllowed(who, whom, wanted));
    }),
    { seed: 1, numRuns: 2_000 },
  );
});

test('however people without an administrator help one another, nobody gets more than one of them held', () => {
  const attempt = fc.tuple(fc.nat(4), fc.nat(4), change);
  fc.assert(
    fc.property(
      fc.array(rights, { minLength: 5, maxLength: 5 }),
      fc.array(attempt, { maxLength: 40 }),
      (population, attempts) => {
        const before = population
          .map((own, index) => user(`user ${index}`, own))
          .filter((one) => !isWritingAdmin(one));
        const held = new Set(before.flatMap((one) => one.roles));
        const people = [...before];
        for (const [from, to, wanted] of attempts) {
          const who = people[from % people.length];
          const whom = people[to % people.length];
          if (who === undefined || whom === undefined || !isAllowed(who, whom, wanted)) continue;
          people[to % people.length] = { ...whom, ...definedRights(wanted) };
        }
        for (const [index, after] of people.entries()) {
          expect(new Set(after.roles).isSubsetOf(held)).toBe(true);
          for (const flag of FLAGS) expect(after[flag]).toBe(before[index]?.[flag]);
        }
      },
    ),
    { seed: 1, numRuns: 500 },
  );
});

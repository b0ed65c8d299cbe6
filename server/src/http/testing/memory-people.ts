import { Problem } from '#base/problem.ts';
import type { HttpServices } from '../services.ts';

const UID = '1111111111111111111111';
const Timestamp = '2026-11-20T00:00:00.000Z';
const ADA = { UID, Type: '_User', Timestamp, UserName: 'ada' } as const;
const TEAM = { UID, Type: '_AccessGroup', Timestamp, Name: 'Sales' } as const;

/** One user, ada, who is there for whoever asks. */
export function memoryUsers(): HttpServices['users'] {
  const find = (uid: string) => {
    if (uid === UID) return ADA;
    throw new Problem('user_not_found', 'There is no such user.');
  };
  return {
    list: (_caller, { skip, take }) => ({ items: [ADA], total: 1, skip, take }),
    get: (_caller, uid) => find(uid),
    create: async (_caller, { userName }) => ({ ...ADA, UserName: userName }),
    update: async (_caller, uid, { email }) => ({ ...find(uid), Email: email }),
    deactivate: async (_caller, uid) => void find(uid),
  };
}

/** One token, "r". */
export function memoryPasswordReset(): HttpServices['passwordReset'] {
  return {
    request: () => {},
    complete: async ({ token }) => {
      if (token !== 'r') throw new Problem('invalid_reset_token', 'The link is not valid.');
    },
    createLink: async () => ({
      link: 'https://trellis.example/#/reset-password?token=r',
      expiresAt: Timestamp,
    }),
  };
}

/** One team, without members. */
export function memoryTeams(): HttpServices['teams'] {
  const find = (uid: string) => {
    if (uid === UID) return TEAM;
    throw new Problem('team_not_found', 'There is no such team.');
  };
  return {
    list: (_caller, { skip, take }) => ({ items: [TEAM], total: 1, skip, take }),
    get: (_caller, uid) => find(uid),
    create: async (_caller, { name }) => ({ ...TEAM, Name: name }),
    update: async (_caller, uid, { name }) => ({ ...find(uid), Name: name }),
    delete: async (_caller, uid) => void find(uid),
    setUsers: async (_caller, uid, { add }) => {
      find(uid);
      return { users: [...(add ?? [])], teams: [], admins: [] };
    },
    listUsers: (_caller, uid, { skip, take }) => {
      find(uid);
      return { items: [ADA], total: 1, skip, take };
    },
  };
}

/** One node, owned by ada and restricted to nobody. */
export function memoryAccess(): HttpServices['access'] {
  const node = { teams: [], users: [], owners: [UID] };
  const find = (uid: string) => {
    if (uid === UID) return node;
    throw new Problem('node_not_found', 'There is no such node.');
  };
  return {
    types: () => ({ types: {} }),
    putTypes: async (_caller, document) => document,
    explain: (_caller, user, uid) => {
      find(uid);
      return {
        user: { uid: UID, name: user },
        node: { uid, type: 'Word', name: 'dog' },
        visible: true,
        reasons: [{ kind: 'everyone', grants: true, message: 'It is restricted to nobody.' }],
        withheldFields: [],
      };
    },
    node: (_caller, uid) => find(uid),
    putNode: async (_caller, uid, change) => ({
      ...find(uid),
      teams: change.teams ?? [],
      users: change.users ?? [],
    }),
  };
}

/** Ada, and the team Sales. */
export function memoryPrincipals(): HttpServices['principals'] {
  const named = (names: readonly string[] = [], known: string) =>
    Object.fromEntries(names.map((name) => [name, name === known ? UID : null]));
  return {
    resolve: (_caller, { users, teams }) => ({
      users: named(users, 'ada'),
      teams: named(teams, 'Sales'),
    }),
  };
}

export function memoryAudit(): HttpServices['audit'] {
  return { list: (_caller, { skip, take }) => ({ items: [], total: 0, skip, take }) };
}

export function memoryWorkspace(): HttpServices['workspace'] {
  const settings = {
    name: 'Trellis',
    teamsEnabled: true,
    ReplicaURLs: '',
    fetchAllowList: [],
    interface: null,
  };
  return {
    get: () => settings,
    put: async (_caller, { name }) => ({ ...settings, name: name ?? settings.name }),
  };
}

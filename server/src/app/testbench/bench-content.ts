import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { accessWritten } from '#access/ingest-service.ts';
import type { AuditTrail } from '#access/audit-event.ts';
import type { Caller } from '#access/caller.ts';
import { Problem } from '#base/problem.ts';
import { formatUid, randomUid } from '#base/uid.ts';
import type { GraphWriter } from '#graph/graph-writer.ts';
import { fieldsOfNew, rightsFields } from '#identity/user-fields.ts';
import { userKey, userUid } from '#identity/users.ts';
import type {
  TestReference,
  TestTeam,
  TestUser,
  TestWorkspaceOptions,
} from '@trellis/endpoint/testing.ts';

interface ContentParts {
  readonly writer: GraphWriter;
  readonly audit: AuditTrail;
  /** Who brings it in. */
  readonly administrator: Caller;
}

type Operation = Readonly<Record<string, unknown>>;

/**
 * Fills a workspace: with people as the server itself writes them, and with nodes and edges as an
 * administrator brings them in. Each list is a commit of its own, so that a problem tells the place
 * in it.
 */
export async function addContent(
  { writer, audit, administrator }: ContentParts,
  options: TestWorkspaceOptions,
): Promise<void> {
  const { schema = {}, users = [], teams = [], nodes = [], edges = [] } = options;
  const { restrictions = [] } = options;
  // Its shape is checked by the writer.
  const document = { nodes: [], edges: [], ...schema } as SchemaDocument;
  await writer.commit({ operations: [], schema: document });
  const names = new Names(users, teams);
  const add = async (operations: readonly Operation[]): Promise<void> => {
    const event = accessWritten({ caller: administrator, address: null }, { via: 'ingestion' });
    const author = { accessControl: { trace: audit.operation(event) } };
    if (operations.length > 0) await writer.ingest(operations, { firstIndex: 0, author });
  };
  await writer.commit({ operations: users.map(userWrite), system: true });
  const teamWrites = teams.map(({ name }) => teamWrite(name, names.teamUid(name)));
  await writer.commit({ operations: teamWrites, system: true });
  await add(teams.flatMap((team) => memberships(team, names)));
  await add(nodes.map((node) => ({ ...node, op: 'addOrUpdate' })));
  await add(
    edges.map((edge) => ({
      ...edge,
      op: 'link',
      from: names.resolve(edge.from),
      to: names.resolve(edge.to),
    })),
  );
  await add(
    restrictions.map(({ node, team, user }) => ({
      op: 'restrict',
      node: names.resolve(node),
      ...(team === undefined ? {} : { team: names.resolve({ team }) }),
      ...(user === undefined ? {} : { user: names.resolve({ user }) }),
    })),
  );
}

/** Users and teams by the names that tests give them. */
class Names {
  readonly #users: ReadonlySet<string>;
  readonly #teams: ReadonlyMap<string, string>;

  constructor(users: readonly TestUser[], teams: readonly TestTeam[]) {
    this.#users = new Set(users.map(({ name }) => userKey(name)));
    this.#teams = new Map(teams.map(({ name }) => [name, formatUid(randomUid())]));
  }

  resolve(reference: TestReference): Operation {
    if (typeof reference === 'string') return { uid: reference };
    if ('UID' in reference) return { uid: reference.UID };
    if ('user' in reference) return { uid: this.#userUid(reference.user) };
    if ('team' in reference) return { uid: this.teamUid(reference.team) };
    return reference;
  }

  #userUid(name: string): string {
    if (this.#users.has(userKey(name))) return userUid(name);
    throw new Problem('user_not_found', `There is no user "${name}" in the test workspace`);
  }

  teamUid(name: string): string {
    const uid = this.#teams.get(name);
    if (uid !== undefined) return uid;
    throw new Problem('team_not_found', `There is no team "${name}" in the test workspace`);
  }
}

function userWrite(user: TestUser) {
  const { name, email = `${userKey(name)}@example.com`, ...more } = user;
  const { roles = [], isAdmin = false, isReadOnlyAdmin = false, isGuest = false } = more;
  const fields = {
    ...fieldsOfNew({ ...more, userName: name, email }),
    ...rightsFields({ roles, isAdmin, isReadOnlyAdmin, isGuest }),
  };
  return { op: 'addOrUpdate', type: '_User', key: userKey(name), ifVersion: 0, fields } as const;
}

function teamWrite(name: string, uid: string) {
  return { op: 'addOrUpdate', type: '_AccessGroup', uid, fields: { Name: name } } as const;
}

function memberships({ name, members = [], teams = [] }: TestTeam, names: Names): Operation[] {
  const team = names.resolve({ team: name });
  return [
    ...members.map((user) => ({ op: 'addToTeam', team, user: names.resolve({ user }) })),
    ...teams.map((inner) => ({ op: 'addToTeam', team, member: names.resolve({ team: inner }) })),
  ];
}

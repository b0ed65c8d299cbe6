import { scopesFor } from '@trellis/contract/rights.ts';
import type { SampleThings } from '@trellis/contract/testing/sample-requests.ts';
import type { CallerKind } from './access-rows.ts';
import { field } from './http-client.ts';
import { People } from './people.ts';
import { sign } from './token-workspace.ts';

const SCOPES = scopesFor('api');

/** `MSK_JWT_KEY` of the server. */
export const ACCESS_SCENE_KEY = 'a key that signs the tokens of this test';

/** A workspace with a caller of every kind, and one thing of each sort that operations work on. */
export class AccessScene implements AsyncDisposable, SampleThings {
  readonly people: People;
  readonly uids: SampleThings['uids'];
  readonly #tokens = new Map<CallerKind, string>();

  private constructor(people: People, uids: SampleThings['uids']) {
    this.people = people;
    this.uids = uids;
  }

  /** `env` is that of the server, beyond its key. */
  static async start(env: Readonly<Record<string, string>> = {}): Promise<AccessScene> {
    const people = await People.start({ ...env, MSK_JWT_KEY: ACCESS_SCENE_KEY });
    await people.add('guest', { isGuest: true });
    for (const name of ['user', 'team-administrator', 'bystander', 'leaver'])
      await people.add(name);
    await people.add('synonym-manager', { roles: ['CanManageSynonyms'] });
    await people.add('read-only-administrator', { isReadOnlyAdmin: true });
    const team = await people.addTeam('Ours', { admins: [people.uid('team-administrator')] });
    const node = await addGraph(people, team);
    const { bystander, leaver } = Object.fromEntries(
      ['bystander', 'leaver'].map((name) => [name, people.uid(name)]),
    );
    const file = await addFile(people, node);
    const uids = { bystander: String(bystander), leaver: String(leaver), team, node, file };
    const scene = new AccessScene(people, uids);
    await scene.#mintTokens();
    return scene;
  }

  /** Undefined for nobody. */
  token(kind: CallerKind): string | undefined {
    return this.#tokens.get(kind);
  }

  async spareToken(): Promise<string> {
    const body = { kind: 'interface', name: 'spare' };
    return field((await this.people.as('admin', 'POST', '/api/tokens', body)).json, 'id');
  }

  async #mintTokens(): Promise<void> {
    const { people } = this;
    const sessions = [
      'guest',
      'user',
      'team-administrator',
      'synonym-manager',
      'read-only-administrator',
    ] as const;
    for (const kind of sessions) this.#tokens.set(kind, people.token(kind));
    this.#tokens.set('administrator', people.token('admin'));
    const actingUser = people.uid('user');
    await this.#mint('api-token', { kind: 'api', scopes: SCOPES });
    await this.#mint('api-token-without-scope', { kind: 'api', scopes: ['admin:backup'] });
    await this.#mint('endpoint-token', { kind: 'endpoint', path: 'ours/' });
    await this.#mint('endpoint-token-of-another-path', { kind: 'endpoint', path: 'theirs/' });
    await this.#mint('llm-openai-token', { kind: 'llm-openai', actingUser });
    await this.#mint('llm-anthropic-token', { kind: 'llm-anthropic', actingUser });
    await this.#mint('connector-token', { kind: 'connector' });
    await this.#mint('automation-token', { kind: 'automation' });
    await this.#mint('deploy-token', { kind: 'automation', scopes: ['deploy'] });
    await this.#mint('interface-token', { kind: 'interface' });
    await this.#mint('mcp-token', { kind: 'mcp', actingUser });
    const revoked = await this.#mint('revoked-token', { kind: 'api', scopes: SCOPES });
    await people.as('admin', 'DELETE', `/api/tokens/${revoked}`);
    const iat = Math.floor(Date.now() / 1_000) - 7_200;
    const claims = { iss: 'trellis', kind: 'api', id: 'x', scopes: SCOPES, iat };
    this.#tokens.set('expired-token', sign({ ...claims, exp: iat + 3_600 }, ACCESS_SCENE_KEY));
    this.#tokens.set('token-of-another-key', sign(claims, 'some other key, as long as the first'));
  }

  /** Answers the id. */
  async #mint(kind: CallerKind, request: object): Promise<string> {
    const body = { name: kind, ...request };
    const { status, json, text } = await this.people.as('admin', 'POST', '/api/tokens', body);
    if (status !== 201) throw new Error(`${kind}: ${status} ${text}`);
    this.#tokens.set(kind, field(json, 'token'));
    return field(json, 'id');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.people[Symbol.asyncDispose]();
  }
}

/**
 * Two endpoints, a node that is restricted to the team, and one that everybody sees: answers the
 * UID of that.
 */
async function addGraph(people: People, team: string): Promise<string> {
  await people.as('admin', 'PUT', '/api/schema', {
    nodes: [{ type: 'Note', key: 'Name', fields: { Text: 'String' } }],
    edges: [],
  });
  const add = (key: string) => ({ op: 'addOrUpdate', type: 'Note', key, fields: { Text: key } });
  const restrict = { op: 'restrict', node: { type: 'Note', key: 'kept' }, team: { uid: team } };
  const operations = [add('n'), add('kept'), restrict];
  await people.as('admin', 'POST', '/api/ingest', { operations });
  for (const name of ['ours/echo', 'ours/spare']) {
    const code =
      'export default async function ({ graph }: Scope) {\n  return graph.get("Note", "n");\n}\n';
    const body = { name, code, isReadOnly: true };
    const { json, text } = await people.as('admin', 'POST', '/api/endpoints/create', body);
    if (Object(json).compiles !== true) throw new Error(text);
  }
  return field((await people.as('admin', 'POST', '/api/cce/ours/echo')).json, 'UID');
}

async function addFile(people: People, node: string): Promise<string> {
  const body = new FormData();
  body.set('file', new Blob(['dog'], { type: 'text/plain' }), 'words.txt');
  const response = await fetch(new URL(`/api/node/${node}/files`, people.workspace.server.url), {
    method: 'POST',
    headers: { authorization: `Bearer ${people.token('admin')}` },
    body,
  });
  return field(await response.json(), 'UID');
}

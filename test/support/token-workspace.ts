import { createHmac } from 'node:crypto';
import { field, HttpClient, type Answer } from './http-client.ts';
import { TrellisProcess } from './trellis-process.ts';
import { LIBRARY_SCHEMA, startWorkspace, type TestWorkspace } from './workspace.ts';

const JWT_KEY = 'a key that signs the tokens of this test';
const ENV = { MSK_JWT_KEY: JWT_KEY, MSK_LOG_LEVEL: 'debug' };
/** Answers who it is called as. */
const WHO =
  'export default async function ({ CurrentUser }: Scope) {\n' +
  '  return { who: CurrentUser === null ? null : CurrentUser.UserName };\n}\n';

/** What `outcome` says of these refusals. */
export const INVALID = [401, 'invalid_token', 'Bearer error="invalid_token"'];
export const MISSING = [401, 'missing_token', 'Bearer'];
export const FORBIDDEN = [403, 'forbidden'];

/** Status and code of an error, and what it says of the token. */
export function outcome({ status, json, headers }: Answer): unknown[] {
  const challenge = headers.get('www-authenticate');
  return [status, Object(Object(json).error).code, ...(challenge === null ? [] : [challenge])];
}

/** Signed with the key of the server, as only its owner can. */
export function sign(
  claims: object,
  key = JWT_KEY,
  header: object = { alg: 'HS256', typ: 'JWT' },
): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const signed = `${encode(header)}.${encode(claims)}`;
  return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`;
}

/** A server with a few endpoints and a plain user, and every token that was made there. */
export class TokenWorkspace implements AsyncDisposable {
  #workspace: TestWorkspace;
  /** UIDs of the administrator and of the user `ann`. */
  adminUid = '';
  ann = '';
  readonly values: string[] = [];

  private constructor(workspace: TestWorkspace) {
    this.#workspace = workspace;
  }

  static async start(): Promise<TokenWorkspace> {
    const at = new TokenWorkspace(await startWorkspace(ENV));
    at.adminUid = field((await at.admin('GET', '/api/login/check')).json, 'user', 'uid');
    await at.admin('PUT', '/api/schema', LIBRARY_SCHEMA);
    for (const name of ['analytics/daily', 'analytics/weekly', 'analytics']) {
      await at.admin('POST', '/api/endpoints/create', { name, code: WHO });
    }
    const settings = { name: 'admins-only', code: WHO, access: 'admins' };
    await at.admin('POST', '/api/endpoints/create', settings);
    at.ann = await at.createUser('ann');
    return at;
  }

  get adminToken(): string {
    return this.#workspace.token;
  }

  get http(): HttpClient {
    return this.#workspace.http;
  }

  get stderr(): string {
    return this.#workspace.server.stderr;
  }

  send(token: string | undefined, method: string, path: string, body?: unknown): Promise<Answer> {
    return this.http.send({ method, path, token, body });
  }

  admin(method: string, path: string, body?: unknown): Promise<Answer> {
    return this.send(this.adminToken, method, path, body);
  }

  run(token: string | undefined, name: string): Promise<Answer> {
    return this.send(token, 'POST', `/api/endpoints/token/run/${name}`);
  }

  async createUser(userName: string): Promise<string> {
    const user = { userName, email: `${userName}@example.com`, password: 'correct horse battery' };
    return field((await this.admin('POST', '/api/users', user)).json, 'UID');
  }

  async create(request: object): Promise<{ readonly id: string; readonly token: string }> {
    const { json } = await this.admin('POST', '/api/tokens', { name: 'a token', ...request });
    const made = { id: field(json, 'id'), token: field(json, 'token') };
    this.values.push(made.token);
    return made;
  }

  /** The token as it is listed. */
  async listed(id: string): Promise<unknown> {
    const { json } = await this.admin('GET', '/api/tokens?take=1000');
    return Object(json).items.find((item: unknown) => Object(item).id === id);
  }

  stop(): Promise<number | null> {
    return this.#workspace.server.stop();
  }

  /** Starts again on the same storage after a stop; with another key when one is given. */
  async startAgain(key = JWT_KEY): Promise<void> {
    const { storage } = this.#workspace;
    const server = await TrellisProcess.start({ storage, env: { ...ENV, MSK_JWT_KEY: key } });
    this.#workspace = { ...this.#workspace, server, http: new HttpClient(server.url) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#workspace.server.kill();
    await this.#workspace[Symbol.asyncDispose]();
  }
}

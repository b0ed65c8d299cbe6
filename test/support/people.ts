import { field, type Answer } from './http-client.ts';
import { startWorkspace, type OwnWorkspace } from './workspace.ts';

export const PASSWORD = 'correct horse battery';

/** A server with people on it, and what each of them may do. */
export class People implements AsyncDisposable {
  readonly #workspace: OwnWorkspace;
  readonly #tokens = new Map<string, string>();
  readonly #uids = new Map<string, string>();

  private constructor(workspace: OwnWorkspace) {
    this.#workspace = workspace;
    this.#tokens.set('admin', workspace.token);
  }

  static async start(env: Readonly<Record<string, string>> = {}): Promise<People> {
    return new People(await startWorkspace(env));
  }

  get workspace(): OwnWorkspace {
    return this.#workspace;
  }

  /** Creates a user who is signed in, under their name, from then on. */
  async add(userName: string, traits: object = {}): Promise<string> {
    const body = { userName, email: `${userName}@example.com`, password: PASSWORD, ...traits };
    const { status, json, text } = await this.as('admin', 'POST', '/api/users', body);
    if (status !== 201) throw new Error(`creating ${userName}: ${status} ${text}`);
    this.#uids.set(userName, field(json, 'UID'));
    this.#tokens.set(userName, await this.#workspace.http.signIn(userName, PASSWORD));
    return this.uid(userName);
  }

  uid(userName: string): string {
    const uid = this.#uids.get(userName);
    if (uid === undefined) throw new Error(`no user ${userName}`);
    return uid;
  }

  token(userName: string): string {
    const token = this.#tokens.get(userName);
    if (token === undefined) throw new Error(`${userName} is not signed in`);
    return token;
  }

  /** A request as somebody; as nobody when the name is empty. */
  as(
    userName: string,
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const token = this.#tokens.get(userName);
    return this.#workspace.http.send({ method, path, token, body, headers });
  }

  /** Status and error code. */
  async outcome(
    userName: string,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<readonly [number, unknown]> {
    const { status, json } = await this.as(userName, method, path, body);
    return [status, Object(Object(json).error).code];
  }

  async addTeam(name: string, change: object = {}): Promise<string> {
    const { json } = await this.as('admin', 'PUT', '/api/groups/group', { name });
    const uid = field(json, 'UID');
    const path = `/api/groups/group/${uid}/users`;
    const { status, text } = await this.as('admin', 'PUT', path, change);
    if (status !== 200) throw new Error(`members of ${name}: ${status} ${text}`);
    return uid;
  }

  /** Mints a token that calls under the given name from then on. */
  async addToken(as: string, token: object): Promise<void> {
    const { status, json, text } = await this.as('admin', 'POST', '/api/tokens', token);
    if (status !== 201) throw new Error(`creating ${as}: ${status} ${text}`);
    this.#tokens.set(as, field(json, 'token'));
  }

  /** The value of whoever calls under this name; undefined for nobody. */
  tokenOf(name: string): string | undefined {
    return this.#tokens.get(name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#workspace[Symbol.asyncDispose]();
  }
}

/** The items of a list. */
export function items(answer: Answer): Record<string, unknown>[] {
  return Object(answer.json).items;
}

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'vitest';
import { eventsOf, type ToldEvent } from './chat-scene.ts';
import type { Answer } from './http-client.ts';
import { calls, inTurn, says, type LlmServer, type LlmTurn } from './llm-server.ts';
import { LlmWorkspace } from './llm-workspace.ts';
import type { People } from './people.ts';

export const SESSIONS = '/api/admin-agent/sessions';

/** Compiles, in either scope. */
export const GOOD_CODE = `export const input = z.object({ word: z.string() });
export default async ({ body }: Scope<typeof input>) => ({ word: body.word });
`;
export const BAD_CODE = 'export default async ({ nothing }: Scope) => nothing.at.all;\n';

/** The bytes of a form that `beginUpload` begins. */
export const FORM_BYTES = 9_000_000;

/** A change as a model proposes it. */
export interface Wanted {
  readonly kind: string;
  readonly name: string;
  readonly action: string;
  readonly definition?: object;
}

export function newEndpoint(name: string, definition: object = {}): Wanted {
  const all = { code: GOOD_CODE, isReadOnly: true, ...definition };
  return { kind: 'endpoint', name, action: 'create', definition: all };
}

/** A workspace with a scripted provider, two administrators, one who only reads, and a user. */
export class AdminAgentScene implements AsyncDisposable {
  readonly #workspace: LlmWorkspace;
  readonly people: People;
  readonly provider: LlmServer;

  private constructor(workspace: LlmWorkspace) {
    this.#workspace = workspace;
    this.people = workspace.people;
    this.provider = workspace.provider;
  }

  static async start(): Promise<AdminAgentScene> {
    const at = new AdminAgentScene(await LlmWorkspace.start());
    await at.#workspace.use('openai-compatible');
    await at.people.add('other', { isAdmin: true });
    await at.people.add('reader', { isReadOnlyAdmin: true });
    return at;
  }

  /** What the model does, one turn a request. */
  script(...turns: readonly LlmTurn[]): void {
    this.provider.reset();
    this.provider.script.turn = inTurn(...turns);
  }

  /** A body that is no error. */
  async ok(as: string, method: string, path: string, body?: unknown) {
    const { status, text, json } = await this.people.as(as, method, path, body);
    expect(status, text).toBeLessThan(300);
    return Object(json);
  }

  async begin(as = 'admin'): Promise<string> {
    return `${SESSIONS}/${(await this.ok(as, 'POST', SESSIONS)).id}`;
  }

  ask(session: string, message = 'Do it.', as = 'admin'): Promise<Answer> {
    return this.people.as(as, 'POST', `${session}/messages`, { message });
  }

  /** A turn in which the model proposes this, and says so; with the answer. */
  async proposes(session: string, ...changes: readonly Wanted[]) {
    this.script(calls(['propose', { summary: 'As asked.', changes }]), says('Proposed.'));
    const { status, text, json } = await this.ask(session);
    expect(status, text).toBe(200);
    return Object(json);
  }

  /** As the model reads it: what its last call of a tool gave. */
  get toolText(): string {
    const messages: { role: string; content: string }[] = Object(this.provider.last.body).messages;
    return String(messages.findLast(({ role }) => role === 'tool')?.content);
  }

  send(path: string, init: RequestInit, as = 'admin'): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set('authorization', `Bearer ${this.people.token(as)}`);
    return fetch(new URL(path, this.people.workspace.server.url), { ...init, headers });
  }

  upload(
    session: string,
    name: string,
    content: string | Uint8Array<ArrayBuffer>,
    type = 'text/plain',
    as = 'admin',
  ) {
    const body = new FormData();
    body.set('file', new Blob([content], { type }), name);
    return this.send(`${session}/uploads`, { method: 'POST', body }, as);
  }

  /** Sends the first 5 MB of a form of 9 MB; resolves when most of that is kept. */
  async beginUpload(session: string, name: string): Promise<Socket> {
    const { hostname, port } = new URL(this.people.workspace.server.url);
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(
      `POST ${session}/uploads HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${this.people.token('admin')}\r\n` +
        `content-type: multipart/form-data; boundary=x\r\ncontent-length: ${FORM_BYTES}\r\n\r\n`,
    );
    socket.write(`--x\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\n\r\n`);
    socket.write(Buffer.alloc(5_000_000, 'a'));
    while ((await this.count('_FileChunk')) < 4);
    return socket;
  }

  /** How many nodes of a type there are. */
  async count(type: string): Promise<number> {
    const { text } = await this.people.as('admin', 'GET', '/api/graph/stats/database');
    const digits = new RegExp(`^${type} +([\\d,]+)`, 'm').exec(text)?.[1];
    return Number(digits?.replaceAll(',', '') ?? 0);
  }

  approve(session: string, approval?: object): Promise<Response> {
    return this.send(`${session}/commit/approve`, {
      method: 'POST',
      ...(approval === undefined
        ? {}
        : { body: JSON.stringify(approval), headers: { 'content-type': 'application/json' } }),
    });
  }

  /** All events of an approval, and what it has done. */
  async approved(session: string, approval?: object) {
    const response = await this.approve(session, approval);
    expect(response.status).toBe(200);
    const events: ToldEvent[] = [];
    for await (const event of eventsOf(response)) events.push(event);
    return { events, result: Object(events.find(({ event }) => event === 'result')?.data) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#workspace[Symbol.asyncDispose]();
  }
}

/** Status and error. */
export async function refusalOf(response: Response) {
  const { error } = Object(await response.json());
  return { status: response.status, ...error };
}

import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { expect } from 'vitest';
import { field, type Answer } from './http-client.ts';
import { People } from './people.ts';
import type { TestWorkspace } from './workspace.ts';

/**
 * A workspace with notes: "open" for everybody, "kept" for the team of ann alone; ann and bob are
 * no administrators.
 */
export class FileScene implements AsyncDisposable {
  readonly people: People;
  readonly notes: { readonly open: string; readonly kept: string };

  private constructor(people: People, notes: FileScene['notes']) {
    this.people = people;
    this.notes = notes;
  }

  static async start(env: Readonly<Record<string, string>> = {}): Promise<FileScene> {
    const people = await People.start(env);
    for (const name of ['ann', 'bob']) await people.add(name);
    await people.add('auditor', { isReadOnlyAdmin: true });
    const team = await people.addTeam('Ours', {});
    const change = { add: [people.uid('ann')] };
    await people.as('admin', 'PUT', `/api/groups/group/${team}/users`, change);
    const schema = {
      nodes: [{ type: 'Note', key: 'Name', fields: { Text: 'String' }, label: 'Name' }],
      edges: [],
    };
    await people.as('admin', 'PUT', '/api/schema', schema);
    const add = (key: string) => ({ op: 'addOrUpdate', type: 'Note', key, fields: { Text: key } });
    const node = { type: 'Note', key: 'kept' };
    const operations = [add('open'), add('kept'), { op: 'restrict', node, team: { uid: team } }];
    await people.as('admin', 'POST', '/api/ingest', { operations });
    const { json } = await people.as('admin', 'POST', '/api/node/query', { type: 'Note' });
    const items: { Id: string; UID: string }[] = Object(json).items;
    const uidOf = (key: string) => String(items.find(({ Id }) => Id === key)?.UID);
    return new FileScene(people, { open: uidOf('open'), kept: uidOf('kept') });
  }

  get workspace(): TestWorkspace {
    return this.people.workspace;
  }

  /** A body that is no error. */
  async ok(as: string, method: string, path: string, body?: unknown) {
    const { status, text, json } = await this.people.as(as, method, path, body);
    expect(status, text).toBeLessThan(300);
    return Object(json);
  }

  send(path: string, init: RequestInit = {}, as = 'admin'): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set('authorization', `Bearer ${this.people.token(as)}`);
    return fetch(new URL(path, this.workspace.server.url), { ...init, headers });
  }

  upload(
    node: string,
    name: string,
    content: string | Uint8Array<ArrayBuffer>,
    type = 'text/plain',
    as = 'admin',
  ): Promise<Response> {
    const body = new FormData();
    body.set('file', new Blob([content], { type }), name);
    return this.send(`/api/node/${node}/files`, { method: 'POST', body }, as);
  }

  /** Answers the UID. */
  async uploaded(...[node, name, content, type]: Parameters<FileScene['upload']>): Promise<string> {
    const response = await this.upload(node, name, content, type);
    const json: unknown = await response.json();
    expect(response.status, JSON.stringify(json)).toBe(201);
    return field(json, 'UID');
  }

  append(
    id: string,
    offset: number,
    bytes: string | Uint8Array<ArrayBuffer>,
    as = 'admin',
  ): Promise<Answer> {
    return this.workspace.http.send({
      method: 'PATCH',
      path: `/api/uploads/${id}`,
      token: this.people.token(as),
      body: bytes,
      headers: {
        'content-type': 'application/octet-stream',
        'upload-offset': String(offset),
      },
    });
  }

  /** Begins to append so many bytes, and sends some of them. */
  async beginAppend(id: string, length: number, bytes: Uint8Array, as = 'admin'): Promise<Socket> {
    const headers = 'content-type: application/octet-stream\r\nupload-offset: 0';
    const socket = await this.#begin(`PATCH /api/uploads/${id}`, length, headers, as);
    socket.write(bytes);
    return socket;
  }

  /** The same of a form. */
  async beginUpload(
    node: string,
    length: number,
    bytes: Uint8Array,
    as = 'admin',
  ): Promise<Socket> {
    const headers = 'content-type: multipart/form-data; boundary=x';
    const socket = await this.#begin(`POST /api/node/${node}/files`, length, headers, as);
    socket.write('--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n');
    socket.write(bytes);
    return socket;
  }

  async #begin(what: string, length: number, headers: string, as: string): Promise<Socket> {
    const { hostname, port } = new URL(this.workspace.server.url);
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    await once(socket, 'connect');
    const token = `authorization: Bearer ${this.people.token(as)}`;
    const host = `host: x\r\n${token}\r\ncontent-length: ${length}`;
    socket.write(`${what} HTTP/1.1\r\n${host}\r\n${headers}\r\n\r\n`);
    return socket;
  }

  /** How many nodes of a type there are. */
  async count(type: string): Promise<number> {
    const { text } = await this.people.as('admin', 'GET', '/api/graph/stats/database');
    const digits = new RegExp(`^${type} +([\\d,]+)`, 'm').exec(text)?.[1];
    return Number(digits?.replaceAll(',', '') ?? 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.people[Symbol.asyncDispose]();
  }
}

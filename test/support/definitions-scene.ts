import { fromBufferPromise } from 'yauzl';
import { buffer } from 'node:stream/consumers';
import { expect } from 'vitest';
import { definitionsImport, type DefinitionsImport } from '@trellis/contract/shapes/definitions.ts';
import { eventsOf, type ToldEvent } from './chat-scene.ts';
import { startWorkspace, type TestWorkspace } from './workspace.ts';
import { zipOf } from './zip.ts';

export const EXPORT = '/api/graph/export-definitions';
export const IMPORT = '/api/graph/import-definitions';

/** By path. */
export type Files = Readonly<Record<string, string>>;

export const MANIFEST: Files = { 'manifest.json': '{"format": 1}' };

/**
 * A workspace whose definitions are exported and imported, by its administrator where no other
 * token is named.
 */
export class DefinitionsScene implements AsyncDisposable {
  readonly #workspace: TestWorkspace;

  constructor(workspace: TestWorkspace) {
    this.#workspace = workspace;
  }

  static async start(env: Readonly<Record<string, string>> = {}): Promise<DefinitionsScene> {
    return new DefinitionsScene(await startWorkspace(env));
  }

  get workspace(): TestWorkspace {
    return this.#workspace;
  }

  /** The body of an answer that is no error. */
  async ok(method: string, path: string, body?: unknown) {
    const { http, token } = this.#workspace;
    const { status, json, text } = await http.send({ method, path, token, body });
    expect(status, text).toBeLessThan(300);
    return Object(json);
  }

  send(path: string, init: RequestInit = {}, token = this.#workspace.token): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set('authorization', `Bearer ${token}`);
    return fetch(new URL(path, this.#workspace.server.url), { ...init, headers });
  }

  async exported(): Promise<Uint8Array<ArrayBuffer>> {
    const answer = await this.send(EXPORT);
    expect(answer.status).toBe(200);
    return new Uint8Array(await answer.arrayBuffer());
  }

  async exportedFiles(): Promise<Files> {
    return filesIn(await this.exported());
  }

  upload(zip: Uint8Array<ArrayBuffer>, query = '', token?: string): Promise<Response> {
    const headers = { 'content-type': 'application/zip' };
    return this.send(IMPORT + query, { method: 'POST', body: zip, headers }, token);
  }

  /** All that an import tells. */
  async events(
    zip: Uint8Array<ArrayBuffer> | Files,
    query = '',
    token?: string,
  ): Promise<readonly ToldEvent[]> {
    const bytes = zip instanceof Uint8Array ? zip : await zipOf({ ...MANIFEST, ...zip });
    return toldBy(await this.upload(bytes, query, token));
  }

  async import(
    zip: Uint8Array<ArrayBuffer> | Files,
    query = '',
    token?: string,
  ): Promise<DefinitionsImport> {
    return resultIn(await this.events(zip, query, token));
  }

  async rollBack(deployment: string, query = ''): Promise<DefinitionsImport> {
    const path = `/api/deployments/${deployment}/rollback${query}`;
    return resultIn(await toldBy(await this.send(path, { method: 'POST' })));
  }

  /** Status and code of a refusal before the stream opens. */
  async refused(zip: Uint8Array<ArrayBuffer>, query = ''): Promise<readonly [number, string]> {
    const answer = await this.upload(zip, query);
    const { error } = Object(await answer.json());
    return [answer.status, `${error.code}: ${error.message}`];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#workspace[Symbol.asyncDispose]();
  }
}

async function toldBy(answer: Response): Promise<readonly ToldEvent[]> {
  expect(answer.status, answer.status < 300 ? '' : await answer.text()).toBe(200);
  return Array.fromAsync(eventsOf(answer));
}

function resultIn(events: readonly ToldEvent[]): DefinitionsImport {
  expect(events.map(({ event }) => event).slice(-2)).toEqual(['result', 'done']);
  return definitionsImport.parse(events.at(-2)?.data);
}

/** The texts of a zip. */
export async function filesIn(zip: Uint8Array): Promise<Files> {
  const files: Record<string, string> = {};
  const archive = await fromBufferPromise(Buffer.from(zip));
  for await (const entry of archive.eachEntry()) {
    files[entry.fileName] = String(await buffer(await archive.openReadStreamPromise(entry)));
  }
  return files;
}

/** Action, kind and name of each definition that the import changed. */
export function changesIn({ items }: DefinitionsImport): readonly string[] {
  return items
    .filter(({ action }) => action !== 'unchanged')
    .map(({ kind, name, action }) => `${action} ${kind} ${name}`);
}

import { type Answer, field, type HttpClient } from '../support/http-client.ts';
import { expect } from 'vitest';
import type { ClusterNode } from './cluster.ts';

const SCHEMA = {
  nodes: [
    { type: 'Counter', key: 'Name', fields: { Value: 'Int' } },
    { type: 'Item', key: 'Number', fields: { Text: 'String' } },
  ],
  edges: [],
};
const READ_COUNTERS = `export default async function ({ q }: Scope) {
  return q().startAt('Counter').nodes();
}`;
const RETRY_MS = 50;
const PAGE = 1_000;
const BALLAST_COMMIT = 200;

export interface Acknowledged {
  readonly item: string;
  readonly sequence: number;
}

/**
 * The schema of the workload, an endpoint that reads it, and the first commit. Answers the
 * administrator's token.
 */
export async function prepareWorkload(http: HttpClient): Promise<string> {
  const token = await http.signIn();
  expectOk(await http.send({ method: 'PUT', path: '/api/schema', token, body: SCHEMA }));
  const endpoint = { name: 'counters', isReadOnly: true, code: READ_COUNTERS };
  expectOk(await http.send({ path: '/api/endpoints/create', token, body: endpoint }));
  expectOk(
    await http.send({ path: '/api/ingest', token, body: { operations: commitOf(0, 'first') } }),
  );
  return token;
}

/** Both counters get the same value in one commit, beside an item of its own. */
function commitOf(value: number, item: string): object[] {
  return [
    { op: 'addOrUpdate', type: 'Counter', key: 'one', fields: { Value: value } },
    { op: 'addOrUpdate', type: 'Item', key: item, fields: { Text: `Item ${item}` } },
    { op: 'addOrUpdate', type: 'Counter', key: 'other', fields: { Value: value } },
  ];
}

/**
 * Writes to whichever server is the primary, one commit after the other, until stopped; tries again
 * when none answers.
 */
export class Workload implements AsyncDisposable {
  readonly acknowledged: Acknowledged[] = [];
  readonly #token: string;
  readonly #pause: number;
  readonly #label: string;
  readonly #running: Promise<void>;
  #primary: HttpClient;
  #value = 0;
  #isStopping = false;
  #onAcknowledged = (): void => undefined;

  /** `label` tells its items from those of others. */
  constructor(
    primary: HttpClient,
    token: string,
    { label = 'a', pauseMs = 0 }: { readonly label?: string; readonly pauseMs?: number } = {},
  ) {
    this.#primary = primary;
    this.#token = token;
    this.#label = label;
    this.#pause = pauseMs;
    this.#running = this.#run();
    // Told by `stop`.
    this.#running.catch(() => undefined);
  }

  /** The sequence of the newest acknowledged commit; 0 before the first. */
  get sequence(): number {
    return this.acknowledged.at(-1)?.sequence ?? 0;
  }

  pointTo(primary: HttpClient): void {
    this.#primary = primary;
  }

  /** Resolves when `count` more commits are acknowledged. */
  async written(count: number): Promise<void> {
    const until = this.acknowledged.length + count;
    while (this.acknowledged.length < until) {
      await Promise.race([
        new Promise<void>((resolve) => (this.#onAcknowledged = resolve)),
        this.#running.then(() => Promise.reject(new Error('the workload has ended'))),
      ]);
    }
  }

  /**
   * After the commit that is under way; throws what went wrong other than a primary that was away.
   */
  async stop(): Promise<readonly Acknowledged[]> {
    this.#isStopping = true;
    await this.#running;
    return this.acknowledged;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      const value = ++this.#value;
      const item = `${this.#label}-${value}`;
      const body = { operations: commitOf(value, item) };
      const call = { path: '/api/ingest', token: this.#token, body };
      const answer = await this.#primary.send(call).catch(() => undefined);
      if (answer?.status === 200) {
        this.acknowledged.push({ item, sequence: sequenceOf(answer) });
        this.#onAcknowledged();
        if (this.#pause > 0) await pause(this.#pause);
      } else if (answer === undefined || answer.status === 503) {
        // The primary is away for now.
        await pause(RETRY_MS);
      } else {
        throw new Error(`the primary answered ${answer.status}: ${answer.text}`);
      }
    }
  }
}

/** Makes the state larger, by about `bytes`; answers the sequence behind it. */
export async function writeBallast(
  http: HttpClient,
  token: string,
  bytes: number,
  label = 'ballast',
): Promise<number> {
  const textBytes = 1_000;
  const items = Math.ceil(bytes / textBytes);
  let sequence = 0;
  for (let at = 0; at < items; at += BALLAST_COMMIT) {
    const operations = Array.from({ length: Math.min(BALLAST_COMMIT, items - at) }, (_, i) => ({
      op: 'addOrUpdate',
      type: 'Item',
      key: `${label}-${at + i}`,
      // Nothing that any compression makes smaller.
      fields: { Text: incompressible(textBytes) },
    }));
    const answer = await http.send({ path: '/api/ingest', token, body: { operations } });
    expectOk(answer);
    sequence = sequenceOf(answer);
  }
  return sequence;
}

function incompressible(length: number): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(Math.ceil(length * 0.75)))).toString(
    'base64',
  );
}

/** The keys of all items of a server. */
export async function readItems(http: HttpClient, token: string): Promise<Set<string>> {
  const items = new Set<string>();
  for (let skip = 0; ; skip += PAGE) {
    const body = { type: 'Item', skip, take: PAGE };
    const answer = await http.send({ path: '/api/node/query', token, body });
    expectOk(answer);
    const page: unknown[] = Object(answer.json).items;
    for (const node of page) items.add(field(node, 'Id'));
    if (page.length < PAGE) return items;
  }
}

/** The two values that are equal in every commit. */
export function countersOf(nodes: unknown): readonly unknown[] {
  if (!Array.isArray(nodes)) throw new Error(`no nodes: ${JSON.stringify(nodes)}`);
  return nodes.map((node: unknown) => Object(node).Value);
}

export function sequenceOf(answer: Answer): number {
  return Number(answer.headers.get('x-msk-sequence'));
}

export function expectOk(answer: Answer): void {
  if (answer.status >= 300) throw new Error(`answered ${answer.status}: ${answer.text}`);
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/**
 * Stops the workload and waits until a replica has all of it: no acknowledged commit is missing
 * there.
 */
export async function expectCaughtUp(
  { http }: Pick<ClusterNode, 'http'>,
  workload: Workload,
  token: string,
): Promise<void> {
  const acknowledged = await workload.stop();
  expect(acknowledged.length).toBeGreaterThan(0);
  const headers = { 'x-msk-min-sequence': String(workload.sequence) };
  const call = { path: '/api/schema', token, headers };
  await expect.poll(async () => (await http.send(call)).status).toBe(200);
  const items = await readItems(http, token);
  const missing = acknowledged.filter(({ item }) => !items.has(item));
  expect(missing, 'missing on a replica that has caught up').toEqual([]);
}

import { expect } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { nodeUid } from '@trellis/client/uid.ts';
import type { ExtractionRequest } from '@trellis/contract/shapes/extraction.ts';
import { says, type LlmServerRequest, type LlmTurn } from './llm-server.ts';
import { LlmWorkspace, type ProviderKind } from './llm-workspace.ts';

const SCHEMA = {
  nodes: [
    { type: 'Report', key: 'Number', label: 'Title', fields: { Title: 'String', Body: 'String' } },
    { type: 'Person', key: 'Name', fields: { Born: 'Int', Trade: 'String' } },
    { type: 'Ship', key: 'Name', fields: { Tons: 'Int' } },
  ],
  edges: [{ type: 'Sails', inverse: 'SailedBy' }],
} as const;
const TARGET = { types: ['Person', 'Ship'], edges: ['Sails'] };

/** A workspace whose reports a scripted model reads, for people and the ships that they sail. */
export class DocumentScene implements AsyncDisposable {
  readonly #llm: LlmWorkspace;
  readonly admin: TrellisClient;

  private constructor(llm: LlmWorkspace) {
    this.#llm = llm;
    this.admin = this.clientOf('admin');
  }

  static async start(): Promise<DocumentScene> {
    const llm = await LlmWorkspace.start();
    await llm.people.add('bob');
    const scene = new DocumentScene(llm);
    await scene.use('openai-compatible');
    await scene.admin.schema.put(SCHEMA);
    return scene;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#llm[Symbol.asyncDispose]();
  }

  /** The model is asked in another protocol from now on. */
  use(provider: ProviderKind): Promise<void> {
    return this.#llm.use(provider, { models: ['large', 'small'] });
  }

  get people() {
    return this.#llm.people;
  }

  get provider() {
    return this.#llm.provider;
  }

  clientOf(name: string): TrellisClient {
    const { url } = this.people.workspace.server;
    const token = this.people.token(name);
    return new TrellisClient({ baseUrl: url, token, retry: { retriesMax: 0 } });
  }

  /** What the model finds, by what stands in the text. */
  script(answers: Readonly<Record<string, LlmTurn>>): void {
    this.provider.script.turn = (asked) => {
      const { text } = materialOf(asked);
      const found = Object.keys(answers).find((part) => text.includes(part));
      return found === undefined ? finds([]) : answers[found]!;
    };
  }

  async report(key: string, body: string, title = `Report ${key}`): Promise<string> {
    await this.admin.graph.ingest([
      { op: 'addOrUpdate', type: 'Report', key, fields: { Title: title, Body: body } },
    ]);
    return nodeUid('Report', key);
  }

  async extract(documents: object, more: Partial<ExtractionRequest> = {}) {
    const { id, extraction } = await this.admin.documents.extract({
      ...TARGET,
      documents: { files: false, fields: ['Body'], ...documents },
      ...more,
    });
    const job = await this.ended(id);
    return { done: job, ...(await this.admin.documents.extraction(extraction)) };
  }

  async ended(job: string) {
    for await (const _ of this.admin.jobs.watch(job));
    return this.admin.jobs.get(job);
  }

  async approveAll(run: { readonly id: string }): Promise<number> {
    const done = await this.admin.documents.approve(run.id);
    expect(done.refused).toEqual([]);
    return done.approved;
  }

  async shown(type: string, key: string): Promise<object> {
    const found = await this.admin.nodes.get({ type, key });
    const { UID: _uid, Type: _type, Timestamp: _time, Id: _id, ...fields } = found;
    return fields;
  }

  async isThere(type: string, key: string): Promise<boolean> {
    return (await codeOf(this.admin.nodes.get({ type, key }))) === 'no error';
  }

  /** All that the graph holds. */
  async state(): Promise<string> {
    const { token, server } = this.people.workspace;
    const answer = await fetch(`${server.url}/api/graph/export?format=jsonl`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
    });
    expect(answer.status).toBe(200);
    return (await answer.text()).split('\n').toSorted().join('\n');
  }
}

/** What the model is given to read. */
export function materialOf({ body }: LlmServerRequest): {
  readonly document: string;
  readonly text: string;
  readonly page: number | null;
} {
  const messages: { role: string; content: string | { text: string }[] }[] = Object(body).messages;
  const { content } = messages.find(({ role }) => role === 'user')!;
  return JSON.parse(typeof content === 'string' ? content : content[0]!.text);
}

export const finds = (nodes: readonly object[], edges: readonly object[] = []): LlmTurn =>
  says(JSON.stringify({ nodes, edges }));

export const person = (key: string, fields: object, quote: string, confidence = 0.9) => ({
  type: 'Person',
  key,
  fields,
  quote,
  confidence,
});

export const ship = (key: string, fields: object, quote: string, confidence = 0.9) => ({
  ...person(key, fields, quote, confidence),
  type: 'Ship',
});

export const sails = (from: string, to: string, quote: string) => ({
  edge: 'Sails',
  from: { type: 'Person', key: from },
  to: { type: 'Ship', key: to },
  confidence: 0.8,
  quote,
});

export const codeOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'no error',
    (error: unknown) => Object(error).code as unknown,
  );

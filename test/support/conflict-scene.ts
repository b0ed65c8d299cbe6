import { expect } from 'vitest';
import { LlmWorkspace, PROVIDER_KEY } from './llm-workspace.ts';
import type { LlmServer } from './llm-server.ts';
import type { People } from './people.ts';
import { untilEmbedded } from './search-index.ts';

const SCHEMA = {
  nodes: [
    { type: 'Counter', key: 'Name', fields: { Value: 'Int' } },
    { type: 'Note', key: 'Name', fields: { Text: 'String' } },
  ],
  edges: [],
};
const COUNT = `export const input = z.object({ key: z.string() });
export default async ({ body, graph }: Scope<typeof input>) => {
  const { Value = 0 } = await graph.get('Counter', body.key);
  await graph.update('Counter', body.key, { Value: Value + 1 });
  return Value + 1;
};
`;

const VALUE = `export const input = z.object({ key: z.string() });
export default async ({ body, graph }: Scope<typeof input>) =>
  (await graph.tryGet('Counter', body.key))?.Value ?? null;
`;

/**
 * Code with this statement waits at each attempt until the test lets it go on. It needs `search`.
 * A vector of a query does not count as a call to the outside: the call can run again.
 */
export const PAUSE = `await search({ query: 'pause ' + Math.random(), mode: 'vector', types: ['Note'] });`;

/** A workspace in which a test can write between what a call reads and what it writes. */
export class ConflictScene implements AsyncDisposable {
  readonly #workspace: LlmWorkspace;
  readonly people: People;
  readonly provider: LlmServer;

  private constructor(workspace: LlmWorkspace) {
    this.#workspace = workspace;
    this.people = workspace.people;
    this.provider = workspace.provider;
  }

  static async start(): Promise<ConflictScene> {
    const at = new ConflictScene(await LlmWorkspace.start());
    await at.#workspace.use('openai-compatible', {});
    const { url: baseUrl } = at.provider;
    const apiKey = PROVIDER_KEY;
    const embeddings = { provider: 'openai-compatible', baseUrl, model: 'words', apiKey };
    await at.ok('PUT', '/api/chatai/providers', { embeddings });
    await at.ok('PUT', '/api/schema', SCHEMA);
    await at.ok('PUT', '/api/search/settings', {
      types: { Note: { fields: { Text: { text: {}, vector: { model: 'words' } } } } },
    });
    await at.write('Note', 'first', { Text: 'A note.' });
    await untilEmbedded(at.people.workspace.http, at.people.token('admin'));
    await at.endpoint('count', COUNT);
    await at.endpoint('value', VALUE, { isReadOnly: true });
    return at;
  }

  async ok(method: string, path: string, body?: unknown, as = 'admin'): Promise<unknown> {
    const { status, text, json } = await this.people.as(as, method, path, body);
    expect(status, text).toBeLessThan(300);
    return json;
  }

  async endpoint(name: string, code: string, more: object = {}): Promise<void> {
    const made = await this.ok('POST', '/api/endpoints/create', { name, code, ...more });
    expect(Object(made).diagnostics).toEqual([]);
  }

  async write(type: string, key: string, fields: object): Promise<void> {
    const operations = [{ op: 'addOrUpdate', type, key, fields }];
    await this.ok('POST', '/api/ingest', { operations });
  }

  set(key: string, value: number): Promise<void> {
    return this.write('Counter', key, { Value: value });
  }

  /** Null when there is no such counter. */
  valueOf(key: string): Promise<unknown> {
    return this.ok('POST', '/api/endpoints/run/value', { key });
  }

  /**
   * Holds each attempt at its `PAUSE`, the first one while the first change is made, and so on.
   * Later attempts do not wait.
   */
  async during<T>(run: () => Promise<T>, ...changes: (() => Promise<unknown>)[]): Promise<T> {
    const running = await this.#hold(run, changes, (i) => {
      throw new Error(`attempt ${i + 1} did not come`);
    });
    return running.answer;
  }

  /** Makes a change during each attempt, as many as there are; tells how many there were. */
  async duringEach<T>(
    run: () => Promise<T>,
    change: () => Promise<unknown>,
    attemptsMax: number,
  ): Promise<{ readonly answer: T; readonly attempts: number }> {
    let attempts = attemptsMax;
    const changes = Array.from({ length: attemptsMax }, () => change);
    const { answer } = await this.#hold(run, changes, (i) => (attempts = i));
    return { answer, attempts };
  }

  async #hold<T>(
    run: () => Promise<T>,
    changes: readonly (() => Promise<unknown>)[],
    onOver: (attempt: number) => void,
  ): Promise<{ readonly answer: T }> {
    const { script } = this.provider;
    const asked = () => this.provider.requests.filter(({ path }) => path.endsWith('embeddings'));
    let held = Promise.withResolvers<void>();
    script.gate = held.promise;
    let seen = asked().length;
    const running = run();
    for (const [i, change] of changes.entries()) {
      seen++;
      while (asked().length < seen) {
        const next = this.provider.received(this.provider.requests.length + 1);
        const first = await Promise.race([running.then(() => 'over'), next]);
        if (first === 'over') {
          onOver(i);
          script.gate = Promise.resolve();
          return { answer: await running };
        }
      }
      await change();
      const goOn = held;
      held = Promise.withResolvers<void>();
      script.gate = i === changes.length - 1 ? Promise.resolve() : held.promise;
      goOn.resolve();
    }
    return { answer: await running };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#workspace[Symbol.asyncDispose]();
  }
}

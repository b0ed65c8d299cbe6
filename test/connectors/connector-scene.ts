import { type ChildProcess, spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { People } from '../support/people.ts';
import type { Outcome } from '../support/command-line.ts';
import { temporaryFolder } from '../support/trellis-process.ts';

const EXAMPLES = resolve(import.meta.dirname, '../../connector/examples');

/**
 * A workspace, and examples of connectors that bring something into it, each as a process of its
 * own.
 */
export class ConnectorScene implements AsyncDisposable {
  readonly people: People;
  /** For sources and states. */
  readonly folder: string;
  readonly #token: string;
  readonly #folder: AsyncDisposable;

  private constructor(people: People, folder: AsyncDisposable & { path: string }) {
    this.people = people;
    this.folder = folder.path;
    this.#token = people.tokenOf('connector') ?? '';
    this.#folder = folder;
  }

  static async start(scopes?: readonly string[]): Promise<ConnectorScene> {
    const people = await People.start();
    await people.addToken('connector', { kind: 'connector', name: 'Source', scopes });
    return new ConnectorScene(people, await temporaryFolder());
  }

  /** As its user does; the report is read from `--json`. */
  async run(example: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const outcome = await this.end(this.launch(example, [...args, '--json'], env));
    if (outcome.code !== 0 && outcome.stdout === '') throw new Error(outcome.stderr);
    return JSON.parse(outcome.stdout);
  }

  launch(
    example: string,
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): ChildProcess {
    const { url } = this.people.workspace.server;
    const state = join(this.folder, `${example}.state`);
    return spawn(
      process.execPath,
      [
        '--disable-warning=ExperimentalWarning',
        join(EXAMPLES, `${example}.ts`),
        '--url',
        url,
        '--state',
        state,
        ...args,
      ],
      { env: { PATH: process.env['PATH'], TRELLIS_TOKEN: this.#token, ...env } },
    );
  }

  async end(child: ChildProcess): Promise<Outcome> {
    let [stdout, stderr] = ['', ''];
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const code = await new Promise<number>((done) => child.once('close', (at) => done(at ?? -1)));
    return { code, stdout, stderr };
  }

  /** Every node of a type as somebody sees it, by its key. */
  async nodes(type: string, as = 'admin'): Promise<Record<string, Record<string, unknown>>> {
    const { json } = await this.people.as(as, 'POST', '/api/node/query', { type, take: 1_000 });
    const found: Record<string, unknown>[] = Object(json).items;
    return Object.fromEntries(found.map((node) => [String(node['Id']), node]));
  }

  /** Every edge of a type, by the fields of its ends that tell which they are. */
  async edges(
    edge: string,
    [from, fromField]: readonly [type: string, field: string],
    [to, toField]: readonly [type: string, field: string],
  ): Promise<unknown[][]> {
    const { text } = await this.people.as('admin', 'POST', '/api/graph/export?format=jsonl');
    const [starts, ends] = [await this.nodes(from), await this.nodes(to)];
    return text
      .trimEnd()
      .split('\n')
      .map((line) => Object(JSON.parse(line)))
      .filter((line) => line.op === 'link' && line.edge === edge)
      .map((line) => [starts[line.from.key]?.[fromField], ends[line.to.key]?.[toField]])
      .toSorted();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#folder[Symbol.asyncDispose]();
    await this.people[Symbol.asyncDispose]();
  }
}

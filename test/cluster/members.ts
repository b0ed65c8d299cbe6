import { rm } from 'node:fs/promises';
import { type Answer, type Call, HttpClient } from '../support/http-client.ts';
import { ADMIN_PASSWORD, temporaryFolder } from '../support/trellis-process.ts';
import { type Env, JWT_KEY } from './cluster.ts';
import { must } from '../../server/src/base/assert.ts';
import { freePort } from './free-port.ts';
import { ServerProcess } from './server-process.ts';
import { pause, sequenceOf } from './workload.ts';

const LOOK_INTERVAL_MS = 50;
/** A member that stands still does not answer; then another one is asked. */
const ANSWER_TIMEOUT_MS = 3_000;

/** Processes that share a log in PostgreSQL. Disposing kills them and removes their folders. */
export class Members implements AsyncDisposable {
  readonly #resources = new AsyncDisposableStack();
  readonly #env: Env;
  readonly #folder: string;
  readonly #all: MemberNode[] = [];

  private constructor(folder: string, env: Env) {
    this.#folder = folder;
    this.#env = env;
  }

  static async create(log: string, env: Env = {}): Promise<Members> {
    const folder = await temporaryFolder();
    const members = new Members(folder.path, { MSK_LOG: log, ...env });
    members.#resources.use(folder);
    return members;
  }

  /** Started; it may not be ready. */
  async start(name: string, env: Env = {}): Promise<MemberNode> {
    const port = await freePort();
    const node = new MemberNode(name, port, {
      PATH: process.env['PATH'] ?? '',
      HOME: this.#folder,
      MSK_PORT: String(port),
      MSK_PUBLIC_ADDRESS: `http://127.0.0.1:${port}`,
      MSK_GRAPH_STORAGE: `${this.#folder}/${name}`,
      MSK_MEMBER: name,
      MSK_JWT_KEY: JWT_KEY,
      MSK_ADMIN_PASSWORD: ADMIN_PASSWORD,
      TRELLIS_SAMPLE: 'none',
      ...this.#env,
      ...env,
    });
    this.#resources.use(node);
    this.#all.push(node);
    node.launch();
    return node;
  }

  /** Waits until one of them, but for those, says that it is the primary. */
  async primaryBut(...others: readonly MemberNode[]): Promise<MemberNode> {
    for (;;) {
      for (const node of this.#all) {
        if (!others.includes(node) && (await node.isPrimary())) return node;
      }
      await pause(LOOK_INTERVAL_MS);
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#resources.disposeAsync();
  }
}

/**
 * A client that knows all members, and asks on at the next one when one is away, or sends it to
 * another: what it is told by a primary it never saw before is as good.
 */
export class RoamingClient extends HttpClient {
  readonly #nodes: readonly MemberNode[];
  readonly #onAcknowledged: (member: string, sequence: number) => void;
  #at = 0;

  constructor(
    nodes: readonly MemberNode[],
    onAcknowledged: (member: string, sequence: number) => void = () => {},
  ) {
    super('http://127.0.0.1');
    this.#nodes = nodes;
    this.#onAcknowledged = onAcknowledged;
  }

  override async send(call: Call): Promise<Answer> {
    const node = must(this.#nodes[this.#at % this.#nodes.length], 'a member');
    try {
      const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
      const answer = await Promise.race([node.http.send(call), aborted(signal)]);
      if (answer.status === 200) this.#onAcknowledged(node.name, sequenceOf(answer));
      if (answer.status !== 303 && answer.status !== 503) return answer;
      this.#at++;
      return { ...answer, status: 503 };
    } catch (error) {
      this.#at++;
      throw error;
    }
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('no answer in time')));
  });
}

export class MemberNode implements AsyncDisposable {
  readonly name: string;
  readonly address: string;
  readonly http: HttpClient;
  readonly #env: Env;
  readonly #processes: ServerProcess[] = [];
  #process: ServerProcess | undefined;

  constructor(name: string, port: number, env: Env) {
    this.name = name;
    this.address = `http://127.0.0.1:${port}`;
    this.http = new HttpClient(this.address);
    this.#env = env;
  }

  get process(): ServerProcess {
    if (this.#process === undefined) throw new Error(`${this.name} was never started`);
    return this.#process;
  }

  get storage(): string {
    return must(this.#env['MSK_GRAPH_STORAGE'], 'the folder');
  }

  /** What all its processes have written. */
  get logs(): string {
    return this.#processes.map(({ log }) => log).join('\n-- started again --\n');
  }

  launch(): void {
    this.#process = new ServerProcess(this.name, this.#env);
    this.#processes.push(this.#process);
  }

  /** Loses its folder. It may not run. */
  async empty(): Promise<void> {
    await rm(this.storage, { recursive: true, force: true });
  }

  async isPrimary(): Promise<boolean> {
    try {
      const signal = AbortSignal.timeout(2_000);
      return (await fetch(`${this.address}/health/primary`, { signal })).status === 200;
    } catch {
      return false;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process?.kill();
  }
}

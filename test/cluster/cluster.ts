import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { HttpClient } from '../support/http-client.ts';
import { ADMIN_PASSWORD, temporaryFolder } from '../support/trellis-process.ts';
import { freePort } from './free-port.ts';
import { TestAuthority } from './license.ts';
import { Link, type PrimaryPorts, type PrimaryRoute } from './link.ts';
import { ServerProcess } from './server-process.ts';

export const JWT_KEY = 'a key that the nodes of this cluster have in common';

export type Env = Readonly<Record<string, string>>;

/** Where the processes of a node run. */
export interface Place {
  /** The address that the test reaches them at. */
  readonly host: string;
  /** The command that runs a command there; empty for here. */
  readonly prefix: readonly string[];
}

const HERE: Place = { host: '127.0.0.1', prefix: [] };

/** What every node of a cluster is started with. */
interface ClusterParts {
  readonly folder: string;
  readonly env: Env;
  readonly authority: TestAuthority;
  readonly resources: AsyncDisposableStack;
}

/**
 * Processes of one workspace on this machine, and the links between them. Disposing kills them and
 * removes their folders.
 */
export class Cluster implements AsyncDisposable {
  readonly authority: TestAuthority;
  readonly folder: string;
  readonly #parts: ClusterParts;

  private constructor(parts: ClusterParts) {
    this.#parts = parts;
    this.authority = parts.authority;
    this.folder = parts.folder;
  }

  /** `env` is that of every node. */
  static async create(env: Env = {}): Promise<Cluster> {
    const resources = new AsyncDisposableStack();
    const { path: folder } = resources.use(await temporaryFolder());
    return new Cluster({ folder, env, authority: new TestAuthority(), resources });
  }

  /** A machine: its ports and its folder, and no process yet. */
  async node(name: string, place: Place = HERE): Promise<ClusterNode> {
    const ports = { httpPort: await freePort(), replicationPort: await freePort() };
    const node = new ClusterNode(name, this.#parts, { ...place, ...ports });
    return this.#parts.resources.use(node);
  }

  async link(primary: PrimaryPorts, random?: () => number): Promise<Link> {
    return this.#parts.resources.use(await Link.to(primary, random));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#parts.resources.disposeAsync();
  }
}

/**
 * One machine of a cluster: the processes that run on it one after the other have its folder and
 * its ports.
 */
export class ClusterNode implements AsyncDisposable, PrimaryPorts {
  readonly name: string;
  readonly storage: string;
  readonly host: string;
  readonly httpPort: number;
  readonly replicationPort: number;
  readonly http: HttpClient;
  readonly #parts: ClusterParts;
  readonly #prefix: readonly string[];
  #process: ServerProcess | undefined;

  constructor(name: string, parts: ClusterParts, place: Place & PrimaryPorts) {
    const { host, prefix, httpPort, replicationPort } = place;
    this.#prefix = prefix;
    this.name = name;
    this.#parts = parts;
    this.storage = join(parts.folder, name);
    this.host = host;
    this.httpPort = httpPort;
    this.replicationPort = replicationPort;
    this.http = new HttpClient(this.address);
  }

  get address(): string {
    return `http://${this.host}:${this.httpPort}`;
  }

  /** The newest one. */
  get process(): ServerProcess {
    if (this.#process === undefined) throw new Error(`${this.name} was never started`);
    return this.#process;
  }

  launchPrimary(env: Env = {}): ServerProcess {
    return this.#launch({
      MSK_ADMIN_PASSWORD: ADMIN_PASSWORD,
      MSK_REPLICATION_PORT: String(this.replicationPort),
      ...env,
    });
  }

  launchReplica(link: PrimaryRoute, env: Env = {}): ServerProcess {
    return this.#launch({
      MSK_REPLICA: 'true',
      MSK_PRIMARY_ADDRESS: link.address,
      MSK_REPLICATION_PORT: String(link.channel.port),
      MSK_LICENSE: this.#parts.authority.issue(),
      MSK_LICENSE_PUBLIC_KEY: this.#parts.authority.publicPem,
      ...env,
    });
  }

  async startPrimary(env?: Env): Promise<ServerProcess> {
    const started = this.launchPrimary(env);
    await started.ready;
    return started;
  }

  async startReplica(link: PrimaryRoute, env?: Env): Promise<ServerProcess> {
    const started = this.launchReplica(link, env);
    await started.ready;
    return started;
  }

  async empty(): Promise<void> {
    await rm(this.storage, { recursive: true, force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process?.kill();
  }

  #launch(env: Env): ServerProcess {
    if (this.#process?.isRunning === true) throw new Error(`${this.name} runs already`);
    const common = {
      PATH: process.env['PATH'] ?? '',
      HOME: this.#parts.folder,
      TRELLIS_SAMPLE: 'none',
      MSK_JWT_KEY: JWT_KEY,
      MSK_HOST: this.#prefix.length === 0 ? this.host : '0.0.0.0',
      MSK_PORT: String(this.httpPort),
      MSK_PUBLIC_ADDRESS: this.address,
      MSK_GRAPH_STORAGE: this.storage,
    };
    const all = { ...common, ...this.#parts.env, ...env };
    this.#process = new ServerProcess(this.name, all, this.#prefix);
    return this.#process;
  }
}

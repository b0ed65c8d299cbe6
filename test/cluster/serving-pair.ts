import { ACCESS_SCENE_KEY, AccessScene } from '../support/access-scene.ts';
import type { Answer, Call, HttpClient } from '../support/http-client.ts';
import { TrellisProcess } from '../support/trellis-process.ts';
import { Cluster, type ClusterNode, type Env } from './cluster.ts';
import { freePort } from './free-port.ts';
import type { Link } from './link.ts';
import { sequenceOf } from './workload.ts';

interface ServingParts {
  readonly scene: AccessScene;
  readonly replica: ClusterNode;
  readonly link: Link;
  readonly env: Env;
}

/** A primary with people and things on it, and a replica of it. */
export class ServingPair implements AsyncDisposable {
  readonly scene: AccessScene;
  readonly replica: ClusterNode;
  readonly link: Link;
  readonly #env: Env;
  readonly #resources: AsyncDisposableStack;

  private constructor(parts: ServingParts, resources: AsyncDisposableStack) {
    this.scene = parts.scene;
    this.replica = parts.replica;
    this.link = parts.link;
    this.#env = parts.env;
    this.#resources = resources;
  }

  static async start(): Promise<ServingPair> {
    await using opened = new AsyncDisposableStack();
    const cluster = opened.use(await Cluster.create({ MSK_JWT_KEY: ACCESS_SCENE_KEY }));
    const [httpPort, replicationPort] = [await freePort(), await freePort()];
    const link = await cluster.link({ host: '127.0.0.1', httpPort, replicationPort });
    const env = {
      MSK_PORT: String(httpPort),
      // As everybody reaches it, so that both write the same links.
      MSK_PUBLIC_ADDRESS: link.address,
      MSK_REPLICATION_PORT: String(replicationPort),
    };
    const scene = opened.use(await AccessScene.start(env));
    const replica = await cluster.node('replica');
    await replica.startReplica(link);
    return new ServingPair({ scene, replica, link, env }, opened.move());
  }

  get primary(): HttpClient {
    return this.scene.people.workspace.http;
  }

  get admin(): string {
    return this.scene.people.token('admin');
  }

  asAdmin(method: string, path: string, body?: unknown): Promise<Answer> {
    return this.scene.people.as('admin', method, path, body);
  }

  /** To a replica that has all that the primary had when it gave an answer. */
  afterwards(call: Call, answer: Answer): Promise<Answer> {
    const headers = { ...call.headers, 'x-msk-min-sequence': String(sequenceOf(answer)) };
    return this.replica.http.send({ ...call, headers });
  }

  /** After it was stopped. */
  startPrimaryAgain(): Promise<TrellisProcess> {
    const { storage } = this.scene.people.workspace;
    const env = { ...this.#env, MSK_JWT_KEY: ACCESS_SCENE_KEY };
    return TrellisProcess.start({ storage, env });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#resources.disposeAsync();
  }
}

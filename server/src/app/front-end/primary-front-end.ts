import { join } from 'node:path';
import { Problem } from '#base/problem.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import { OneAtATime } from '#base/one-at-a-time.ts';
import { currentSettings } from '#identity/workspace-settings.ts';
import type { Logger } from '#observe/logger.ts';
import type { WebSocketMessage } from '@trellis/contract/web-socket.ts';
import type { ReplicationRole } from '../replication/open-primary.ts';
import { DigestFolder, FRONT_END_FOLDER } from './digest-folder.ts';
import { type FrontEndFiles, servedFiles, ServedFrontEnd } from './front-end-files.ts';
import { manifestOf, storeManifest } from './front-end-manifest.ts';
import { chosenFiles } from './interfaces.ts';
import { replicaListNotice } from '../replication/notices.ts';

export interface PrimaryFrontEndParts {
  readonly builtIn: FrontEndFiles;
  readonly storage: string;
  readonly replication: Pick<ReplicationRole, 'publicUrls' | 'onReplicas' | 'announce'>;
  readonly reader: GraphReader;
  /** Puts into the graph what replicas need. */
  readonly commits: CommitPort;
  readonly logger: Logger;
}

/**
 * What a primary serves to browsers, and what it tells of it: to its replicas, and to who has a
 * WebSocket.
 */
export class PrimaryFrontEnd {
  readonly served: ServedFrontEnd;
  readonly #parts: PrimaryFrontEndParts;
  readonly #interfaces: DigestFolder;
  readonly #changes = new OneAtATime();
  #manifest = manifestOf(new Map());
  #toldUrls = '';
  #tell: (message: WebSocketMessage) => void = () => undefined;

  constructor(parts: PrimaryFrontEndParts) {
    this.#parts = parts;
    this.#interfaces = new DigestFolder(join(parts.storage, FRONT_END_FOLDER));
    this.served = new ServedFrontEnd(new Map(), () => this.#replicaUrls());
  }

  /**
   * To be called before anybody is answered; from then on replicas are followed. `tell` reaches
   * those who have a WebSocket here.
   */
  async load(tell: (message: WebSocketMessage) => void): Promise<void> {
    this.#tell = tell;
    await this.#changes.run(() => this.#serveChosen());
    this.#parts.replication.onReplicas(this.#refreshReplicaUrls);
  }

  /** Puts what replicas need into the graph. */
  async publish(): Promise<void> {
    await this.#storeManifest();
    this.#refreshReplicaUrls();
  }

  /** To be called when a setting or an interface has changed; resolves once that is served. */
  readonly refresh = async (): Promise<void> => {
    this.#refreshReplicaUrls();
    await this.#changes.run(async () => {
      if (!(await this.#serveChosen())) return;
      this.#tell({ type: 'FRONTEND_CHANGED' });
      await this.#storeManifest();
    });
  };

  readonly #refreshReplicaUrls = (): void => {
    const replicas = this.#replicaUrls();
    if (replicas === this.#toldUrls) return;
    this.#toldUrls = replicas;
    this.#tell({ type: 'REPLICAS_CHANGED', replicas });
    this.#parts.replication.announce(replicaListNotice(replicas));
  };

  async #storeManifest(): Promise<void> {
    const { reader, commits } = this.#parts;
    await storeManifest({ reader, commits }, this.#manifest);
  }

  /** Whether it was another one before. */
  async #serveChosen(): Promise<boolean> {
    const files = servedFiles(this.#parts.builtIn, await this.#chosenFiles());
    const manifest = manifestOf(files);
    if (manifest.digest === this.#manifest.digest) return false;
    this.#manifest = manifest;
    this.served.replaceBy(files);
    return true;
  }

  /**
   * A workspace whose interface is lost, such as after a restore without its files, still has the
   * built-in front end.
   */
  async #chosenFiles(): Promise<FrontEndFiles | undefined> {
    try {
      return await chosenFiles(this.#parts.reader, this.#interfaces);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const { message, hint } = error;
      this.#parts.logger.error(`${message} The built-in front end is served. ${hint ?? ''}`);
      return undefined;
    }
  }

  #replicaUrls(): string {
    const { reader, replication } = this.#parts;
    return replicaUrlList(currentSettings(reader).ReplicaURLs, replication.publicUrls());
  }
}

/**
 * The list that pages get as `MSKREPLICAURLS` (specification, section 2.9): what the setting
 * `ReplicaURLs` names, in its order, then the replicas that have registered, by their address, so
 * that the order does not change with who came first. Each stands there once, without a slash at
 * its end.
 */
export function replicaUrlList(setting: string, registered: readonly string[]): string {
  const named = setting.split(';').map(addressOf);
  const urls = new Set([...named, ...registered.map(addressOf).toSorted()]);
  urls.delete('');
  return [...urls].join(';');
}

/** Empty for what is no URL. A semicolon within one would end it: it is encoded. */
function addressOf(text: string): string {
  const href = URL.parse(text.trim())?.href ?? '';
  return href.replace(/\/+$/, '').replaceAll(';', '%3B');
}

import type { WebSocketMessage } from '@trellis/contract/web-socket.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { ReplicationRole } from '../replication/open-primary.ts';
import type { FrontEndFiles } from './front-end-folder.ts';
import { manifestOf, storeManifest } from './front-end-manifest.ts';
import { replicaListNotice } from './replica-list-notice.ts';
import { replicaUrlList } from './replica-urls.ts';
import { ServedFrontEnd } from './served-front-end.ts';

export interface PrimaryFrontEndParts {
  /** The setting `ReplicaURLs`. */
  readonly setting: () => string;
  readonly replication: Pick<ReplicationRole, 'publicUrls' | 'announce'>;
  /** Reaches those who have a WebSocket here. */
  readonly tell: (message: WebSocketMessage) => void;
}

/** What a primary serves to browsers, and what it tells of it: to its replicas, and to who has a WebSocket. */
export class PrimaryFrontEnd {
  readonly served: ServedFrontEnd;
  readonly #files: FrontEndFiles;
  readonly #parts: PrimaryFrontEndParts;
  #toldUrls = '';

  constructor(files: FrontEndFiles, parts: PrimaryFrontEndParts) {
    this.#files = files;
    this.#parts = parts;
    this.served = new ServedFrontEnd(files, () => this.#replicaUrls());
  }

  /** Puts what replicas need into the graph. */
  async publish(graph: {
    readonly reader: GraphReader;
    readonly commits: CommitPort;
  }): Promise<void> {
    await storeManifest(graph, manifestOf(this.#files));
    this.refreshReplicaUrls();
  }

  /** To be called when the setting or the registered replicas may have changed. */
  readonly refreshReplicaUrls = (): void => {
    const replicas = this.#replicaUrls();
    if (replicas === this.#toldUrls) return;
    this.#toldUrls = replicas;
    this.#parts.tell({ type: 'REPLICAS_CHANGED', replicas });
    this.#parts.replication.announce(replicaListNotice(replicas));
  };

  #replicaUrls(): string {
    const { setting, replication } = this.#parts;
    return replicaUrlList(setting(), replication.publicUrls());
  }
}

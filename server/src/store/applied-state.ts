import type { Clock } from '#base/clock.ts';
import { Applier, type LoggedCommit } from './apply.ts';
import type { DatabaseNumber } from './databases.ts';
import { openEnvironments, type Environments } from './environment.ts';
import { openStoreKeys } from './master-key.ts';
import { StoresReader } from './stores-reader.ts';

export interface AppliedStateOptions {
  readonly storage: string;
  readonly masterKey: string | undefined;
  readonly clock: Clock;
  /** The epoch of the history that the state has: 32 hexadecimal digits. */
  readonly epoch: string;
}

/**
 * A state without its own log, to which commits from elsewhere can be added. Nobody else writes to
 * it.
 */
export class AppliedState implements AsyncDisposable {
  readonly #environments: Environments;
  readonly #applier: Applier;

  /** Throws the problems of `openStoreKeys` and `openEnvironment`. */
  constructor({ epoch, ...options }: AppliedStateOptions) {
    const keys = openStoreKeys(options);
    const { storage } = options;
    this.#environments = openEnvironments({ storage, readOnly: false, ...keys });
    const { graph, vault } = this.#environments;
    this.#applier = new Applier(graph, vault, epoch);
  }

  get sequence(): number {
    return this.#applier.sequence;
  }

  /** Adds commits that follow one another without gaps, beginning after `sequence`. */
  async apply(commits: readonly LoggedCommit[]): Promise<void> {
    if (commits.length > 0) await this.#applier.apply(commits);
  }

  /** How many entries a database of the graph has. */
  count(db: DatabaseNumber): number {
    const { graph } = this.#environments;
    graph.root.resetReadTxn();
    return new StoresReader(graph.stores).count(db);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#applier.close();
  }
}

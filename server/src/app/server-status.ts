import { createRequire } from 'node:module';
import type { HealthReport } from '@trellis/contract/shapes/health.ts';
import type { ReplicaHealth } from '@trellis/contract/shapes/replica.ts';
import { systemClock } from '#base/clock.ts';
import { healthReport, type Probes } from '#observe/health.ts';
import { olderStore } from '#store/master-key.ts';
import type { MemberRole } from './member/member-role.ts';

/** `YY.M.build` (specification, section 9). */
export const VERSION: string = createRequire(import.meta.url)('../../package.json').version;

export interface ServerStatusOptions {
  readonly storage: string;
  readonly role: 'primary' | 'replica';
  /** The role of this process among those that hold the same graph. */
  readonly replication: () => Promise<ReplicaHealth> | ReplicaHealth;
  /** How its parts are: see `part-probes.ts`. */
  readonly probes: Probes;
  /** Of a server that is one. */
  readonly member: Pick<MemberRole, 'probes' | 'term'> | undefined;
  /** Whether the last scrub found damage. */
  readonly isStorageDamaged?: () => boolean;
}

/** Whether the graph is loaded, and how the process is. */
export class ServerStatus {
  readonly replication: ServerStatusOptions['replication'];
  readonly #options: ServerStatusOptions;
  readonly #startedAt = systemClock.now();
  #isReady = false;
  #isStoreOutdated = false;

  constructor(options: ServerStatusOptions) {
    this.replication = options.replication;
    this.#options = options;
  }

  becomeReady(): void {
    this.#isReady = true;
    const older = olderStore(this.#options.storage);
    this.#isStoreOutdated = older?.isOfOlderFormat === true && older.isEncrypted;
  }

  ready(): boolean {
    return this.#isReady;
  }

  isPrimary(): boolean {
    return this.#isReady && this.#options.role === 'primary';
  }

  term(): number | undefined {
    return this.#options.member?.term();
  }

  health(): Promise<HealthReport> {
    const { storage, role, probes, member } = this.#options;
    return healthReport({
      clock: systemClock,
      startedAt: this.#startedAt,
      version: VERSION,
      role,
      storageFolder: storage,
      probes: { ...probes, ...member?.probes },
      storageFault: () => {
        if (this.#options.isStorageDamaged?.() === true) return 'storage_damaged';
        return this.#isStoreOutdated ? 'store_outdated' : undefined;
      },
      isReady: () => this.#isReady,
    });
  }
}

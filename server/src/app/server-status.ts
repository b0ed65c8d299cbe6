import { createRequire } from 'node:module';
import { systemClock } from '#base/clock.ts';
import { healthReport, type HealthReport } from '#observe/health.ts';

/** `YY.M.build` (specification, section 9). */
export const VERSION: string = createRequire(import.meta.url)('../../package.json').version;

/** Whether the graph is loaded, and how the process is. */
export class ServerStatus {
  readonly #storage: string;
  readonly #startedAt = systemClock.now();
  #isReady = false;

  constructor(storage: string) {
    this.#storage = storage;
  }

  becomeReady(): void {
    this.#isReady = true;
  }

  ready(): boolean {
    return this.#isReady;
  }

  /** What this process is to others; it replicates to nobody. */
  replication(): { readonly isReplica: false; readonly hasReplicas: false } {
    return { isReplica: false, hasReplicas: false };
  }

  health(): Promise<HealthReport> {
    return healthReport({
      clock: systemClock,
      startedAt: this.#startedAt,
      version: VERSION,
      role: 'primary',
      storageFolder: this.#storage,
      isReady: () => this.#isReady,
    });
  }
}

import type { FrontEndCache } from './front-end-cache.ts';
import type { FrontEndManifest } from './front-end-manifest.ts';
import type { ServedFrontEnd } from './served-front-end.ts';

export interface FrontEndSyncParts {
  readonly cache: FrontEndCache;
  readonly served: ServedFrontEnd;
  /** As of the newest commit; undefined when the primary has none. */
  readonly manifest: () => FrontEndManifest | undefined;
  /**
   * Manifests of front ends that are not served, but may be chosen: here or, once this replica is a
   * primary, there.
   */
  readonly interfaces: () => readonly FrontEndManifest[];
  /** Another front end is served from now on. */
  readonly onChanged: () => void;
  readonly onFailed: (error: unknown) => void;
}

/**
 * Keeps what a replica serves equal to the front end of its primary (specification, section 3.1).
 */
export class FrontEndSync {
  readonly #parts: FrontEndSyncParts;
  /** The digest of what is served, and of all that is kept. */
  #digest: string | undefined;
  #kept = '';
  #running: Promise<void> | undefined;
  #isAskedAgain = false;

  constructor(parts: FrontEndSyncParts) {
    this.#parts = parts;
  }

  /** The first time: rejects when what is served cannot be had. The rest follows. */
  async begin(): Promise<void> {
    await this.#serve();
    this.refresh();
  }

  /**
   * To be called when the primary's front end may have changed, and when it can be reached again.
   * What is served stays as it is when it cannot be done; then the next call is the next try.
   */
  refresh(): void {
    this.#isAskedAgain = true;
    this.#running ??= this.#refreshAll().finally(() => (this.#running = undefined));
  }

  /** When nothing is under way any more. */
  async settled(): Promise<void> {
    await this.#running;
  }

  async #refreshAll(): Promise<void> {
    while (this.#isAskedAgain) {
      this.#isAskedAgain = false;
      try {
        if (await this.#serve()) this.#parts.onChanged();
        await this.#keepAll();
      } catch (error) {
        this.#parts.onFailed(error);
      }
    }
  }

  /** Whether it was another one before. */
  async #serve(): Promise<boolean> {
    const { cache, served, manifest: newest } = this.#parts;
    const manifest = newest();
    if (manifest === undefined || manifest.digest === this.#digest) return false;
    served.replaceBy(await cache.load(manifest));
    this.#digest = manifest.digest;
    return true;
  }

  async #keepAll(): Promise<void> {
    const { cache, manifest, interfaces } = this.#parts;
    const others = interfaces();
    const all = [...others, manifest()].filter((known) => known !== undefined);
    const kept = all.map(({ digest }) => digest).join();
    if (kept === this.#kept) return;
    await cache.keepOnly(all);
    for (const other of others) await cache.keep(other);
    this.#kept = kept;
  }
}

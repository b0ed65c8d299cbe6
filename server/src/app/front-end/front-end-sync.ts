import type { FrontEndCache } from './front-end-cache.ts';
import type { FrontEndManifest } from './front-end-manifest.ts';
import type { ServedFrontEnd } from './served-front-end.ts';

export interface FrontEndSyncParts {
  readonly cache: FrontEndCache;
  readonly served: ServedFrontEnd;
  /** As of the newest commit; undefined when the primary has none. */
  readonly manifest: () => FrontEndManifest | undefined;
  /** Another front end is served from now on. */
  readonly onChanged: () => void;
  readonly onFailed: (error: unknown) => void;
}

/** Keeps what a replica serves equal to the front end of its primary (specification, section 3.1). */
export class FrontEndSync {
  readonly #parts: FrontEndSyncParts;
  /** Of what is served. */
  #digest: string | undefined;
  #running: Promise<void> | undefined;
  #isAskedAgain = false;

  constructor(parts: FrontEndSyncParts) {
    this.#parts = parts;
  }

  /** The first time. Rejects when it cannot be done. */
  async begin(): Promise<void> {
    await this.#sync();
  }

  /**
   * To be called when the primary's front end may have changed, and when it can be reached again. What is served stays as it is
   * when it cannot be done; then the next call is the next try.
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
        if (await this.#sync()) this.#parts.onChanged();
      } catch (error) {
        this.#parts.onFailed(error);
      }
    }
  }

  /** Whether there was anything to do. */
  async #sync(): Promise<boolean> {
    const { cache, served, manifest: newest } = this.#parts;
    const manifest = newest();
    if (manifest === undefined || manifest.digest === this.#digest) return false;
    served.replaceBy(await cache.load(manifest));
    this.#digest = manifest.digest;
    await cache.keepOnly(manifest);
    return true;
  }
}

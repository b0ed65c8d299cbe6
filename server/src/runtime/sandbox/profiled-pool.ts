import type { CpuProfile } from '@trellis/contract/shapes/cpu-profile.ts';
import { PROFILE_ENDS_BEFORE_MS } from '#base/trace-limits.ts';
import type { CallResult, EndpointCall, PackageOrigins, Pool } from './endpoint-call.ts';
import type { SearchFeed } from './search-feed.ts';
import { EndpointPool, type EndpointPoolOptions } from './endpoint-pool.ts';
import { shownProfile } from './shown-profile.ts';

/**
 * Runs one call, and those that it makes, in a worker of its own whose thread is profiled: nothing
 * of others is in the profile. The thread that keeps the worker starts and ends it, so the code
 * that runs has no part in it.
 */
export class ProfiledPool implements Pool, AsyncDisposable {
  readonly #pool: EndpointPool;
  /** Of the code that was run. */
  readonly #files = new Set<string>();
  /** Of the packages in it. */
  readonly #origins: PackageOrigins[] = [];
  #profile: Promise<string> | undefined;
  readonly #search: Disposable;

  private constructor(pool: EndpointPool, search: Disposable) {
    this.#pool = pool;
    this.#search = search;
  }

  static async start(
    options: Omit<EndpointPoolOptions, 'size'>,
    search: SearchFeed,
  ): Promise<ProfiledPool> {
    const pool = EndpointPool.start({ ...options, size: 1 });
    const following = search.follow((snapshot) => pool.searches.receive(snapshot));
    try {
      await pool.prepare();
    } catch (error) {
      following[Symbol.dispose]();
      await pool.close();
      throw error;
    }
    return new ProfiledPool(pool, following);
  }

  prepare(): Promise<void> | undefined {
    return this.#pool.prepare();
  }

  async run(call: EndpointCall): Promise<CallResult> {
    const { script, modules, origins } = call.endpoint;
    if (origins !== undefined) this.#origins.push(origins);
    for (const { fileName } of [script, ...modules]) this.#files.add(fileName);
    if (call.parent !== undefined) return this.#pool.run(call);
    const profiler = await this.#pool.startProfile();
    const end = (): void => void (this.#profile ??= profiler.end());
    // A worker whose code does not end is killed at the deadline, with its profile.
    const timeLeftMs = call.deadline - performance.now() - PROFILE_ENDS_BEFORE_MS;
    const timer = setTimeout(end, Math.max(0, timeLeftMs));
    try {
      return await this.#pool.run(call);
    } finally {
      clearTimeout(timer);
      end();
    }
  }

  /** Once the call has ended; undefined when its worker died of it. */
  async profile(): Promise<CpuProfile | undefined> {
    const json = await this.#profile;
    return json === undefined ? undefined : shownProfile(json, this.#files, this.#origins);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#search[Symbol.dispose]();
    await this.#pool.close();
  }
}

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '#base/clock.ts';
import { SSO_USED_STATES_MAX } from '#base/limits.ts';
import { TextSeal } from '#base/text-seal.ts';

/**
 * State that a browser carries for us: nobody else can read or make it, it ends after a while, and
 * it is good once. So a sign-in under way costs the server nothing until it comes back, however
 * many are begun.
 */
export class SealedStates<State> {
  readonly #seal: TextSeal;
  readonly #lifetimeMs: number;
  readonly #clock: Clock;
  /** Ids of used states and when they would have ended anyway, in about that order. */
  readonly #used = new Map<string, number>();

  /** States of another purpose, or sealed with another secret, are not opened. */
  constructor(options: {
    readonly secret: string | Uint8Array;
    readonly purpose: string;
    readonly lifetimeMs: number;
    readonly clock: Clock;
  }) {
    const key = createHash('sha256').update(`${options.purpose}\0`).update(options.secret).digest();
    this.#seal = new TextSeal(key);
    this.#lifetimeMs = options.lifetimeMs;
    this.#clock = options.clock;
  }

  seal(state: State): string {
    const record: Sealed<State> = { endsAt: this.#clock.now() + this.#lifetimeMs, state };
    return this.#seal.seal(JSON.stringify(record));
  }

  /** Undefined unless it was sealed here and has not ended. It may have been used. */
  open(text: string): OpenedState<State> | undefined {
    const opened = this.#seal.open(text);
    if (opened === undefined) return undefined;
    const { endsAt, state }: Sealed<State> = JSON.parse(opened.text);
    if (endsAt <= this.#clock.now()) return undefined;
    return { state, use: () => this.#use(opened.nonce, endsAt) };
  }

  #use(id: string, endsAt: number): boolean {
    if (this.#used.has(id)) return false;
    const now = this.#clock.now();
    for (const [used, end] of this.#used) {
      if (end > now && this.#used.size < SSO_USED_STATES_MAX) break;
      this.#used.delete(used);
    }
    this.#used.set(id, endsAt);
    return true;
  }
}

export interface OpenedState<State> {
  readonly state: State;
  /** True the first time, for each state. */
  use(): boolean;
}

interface Sealed<State> {
  /** Milliseconds since the Unix epoch. */
  readonly endsAt: number;
  readonly state: State;
}

/** The secret of one browser, 256 bits in base64url: it travels in a cookie only. */
const BROWSER_SECRET = /^[\w-]{43}$/;

/**
 * The browser that begins a sign-in, by its secret, and the device it is when somebody has signed
 * in on it before.
 */
export interface Beginner {
  readonly browser: string;
  readonly device: string | undefined;
}

/**
 * The browser's own secret when it brings one, so that sign-ins in several tabs do not disturb each
 * other; else a new one.
 */
export function browserSecret(brought: string | undefined): string {
  return brought !== undefined && BROWSER_SECRET.test(brought)
    ? brought
    : randomBytes(32).toString('base64url');
}

/** The hash by which a state remembers the browser that began it. */
export function browserHash(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

export function isSameBrowser(hash: string, brought: string | undefined): boolean {
  if (brought === undefined) return false;
  return timingSafeEqual(Buffer.from(hash), Buffer.from(browserHash(brought)));
}

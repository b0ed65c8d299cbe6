import {
  createCipheriv,
  createDecipheriv,
  createHash,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import type { Clock } from '#base/clock.ts';
import { SSO_USED_STATES_MAX } from '#base/limits.ts';

const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * State that a browser carries for us: nobody else can read or make it, it ends after a while, and
 * it is good once. So a sign-in under way costs the server nothing until it comes back, however
 * many are begun.
 */
export class SealedStates<State> {
  readonly #key: Uint8Array;
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
    this.#key = createHash('sha256').update(`${options.purpose}\0`).update(options.secret).digest();
    this.#lifetimeMs = options.lifetimeMs;
    this.#clock = options.clock;
  }

  seal(state: State): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#key, iv);
    const record: Sealed<State> = { endsAt: this.#clock.now() + this.#lifetimeMs, state };
    const sealed = Buffer.concat([cipher.update(JSON.stringify(record), 'utf8'), cipher.final()]);
    return Buffer.concat([iv, sealed, cipher.getAuthTag()]).toString('base64url');
  }

  /** Undefined unless it was sealed here and has not ended. It may have been used. */
  open(text: string): OpenedState<State> | undefined {
    const bytes = Buffer.from(text, 'base64url');
    if (bytes.length <= IV_BYTES + TAG_BYTES) return undefined;
    const iv = bytes.subarray(0, IV_BYTES);
    const record = this.#decrypt(iv, bytes.subarray(IV_BYTES));
    if (record === undefined || record.endsAt <= this.#clock.now()) return undefined;
    const id = iv.toString('hex');
    return { state: record.state, use: () => this.#use(id, record.endsAt) };
  }

  #decrypt(iv: Uint8Array, sealed: Buffer): Sealed<State> | undefined {
    const end = sealed.length - TAG_BYTES;
    const decipher = createDecipheriv('aes-256-gcm', this.#key, iv);
    decipher.setAuthTag(sealed.subarray(end));
    const text = decipher.update(sealed.subarray(0, end));
    try {
      decipher.final();
    } catch {
      // Whoever made it did not have the key: there is nothing more to know.
      return undefined;
    }
    return JSON.parse(text.toString('utf8'));
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

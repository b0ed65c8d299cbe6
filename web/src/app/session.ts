import { useSyncExternalStore } from 'react';
import { BASE_URL } from './base-url.ts';

/** What signing in gave (specification, section 2.4). */
export interface SessionToken {
  readonly token: string;
  /** ISO 8601, UTC. */
  readonly expiresAt: string;
}

/** Why a session ended, as the page of the sign-in says it. */
export type SessionEnd = 'signed-out' | 'expired';

/** One workspace may be served below a path beside another: each has its own session. */
export function sessionKey(basePath: string): string {
  return `trellis.session:${basePath}`;
}

/** The session of this browser, shared by its tabs: signing out in one signs out all. */
export class Session {
  readonly #storage: Storage;
  readonly #key: string;
  readonly #listeners = new Set<() => void>();
  #current: SessionToken | undefined;
  #end: SessionEnd | undefined;

  constructor(storage: Storage, basePath: string, tabs: EventTarget) {
    this.#storage = storage;
    this.#key = sessionKey(basePath);
    this.#current = this.#read();
    tabs.addEventListener('storage', () => {
      this.#current = this.#read();
      this.#tell();
    });
  }

  get current(): SessionToken | undefined {
    return this.#current;
  }

  /** Set when there was a session, until the next one. */
  get end(): SessionEnd | undefined {
    return this.#end;
  }

  begin(session: SessionToken): void {
    const { token, expiresAt } = session;
    this.#storage.setItem(this.#key, JSON.stringify({ token, expiresAt }));
    this.#current = { token, expiresAt };
    this.#end = undefined;
    this.#tell();
  }

  /** Forgets the token; the server is told elsewhere. */
  finish(end: SessionEnd): void {
    if (this.#current === undefined) return;
    this.#storage.removeItem(this.#key);
    this.#current = undefined;
    this.#end = end;
    this.#tell();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }

  #read(): SessionToken | undefined {
    const text = this.#storage.getItem(this.#key);
    if (text === null) return undefined;
    try {
      const value: unknown = JSON.parse(text);
      return isSession(value) ? value : undefined;
    } catch {
      return undefined;
    }
  }
}

function isSession(value: unknown): value is SessionToken {
  if (typeof value !== 'object' || value === null) return false;
  if (!('token' in value) || !('expiresAt' in value)) return false;
  if (typeof value.token !== 'string' || typeof value.expiresAt !== 'string') return false;
  return Date.parse(value.expiresAt) > Date.now();
}

export const session = new Session(localStorage, BASE_URL.pathname, window);

/** The current session; the component is drawn again when it begins or ends. */
export function useSession(): SessionToken | undefined {
  return useSyncExternalStore(session.subscribe, () => session.current);
}

import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { CommandFailure } from './failure.ts';
import type { Terminal } from './terminal.ts';

/** A session as `trellis login` keeps it. */
export interface StoredSession {
  readonly user: string;
  readonly token: string;
  /** ISO 8601, UTC. */
  readonly expiresAt: string;
}

/**
 * What the profile file holds: the sessions by server, and the server that commands talk to when
 * none is named.
 */
interface ProfileContent {
  readonly server?: string;
  readonly sessions: Readonly<Record<string, StoredSession>>;
}

/**
 * The profile file: `profile.json` in the folder `trellis` of the XDG configuration folder. It
 * holds tokens, so only its owner may read it, and a token is given out for the very server that
 * issued it.
 */
export class Profile {
  readonly path: string;
  #content: ProfileContent | undefined;

  constructor(path: string) {
    this.path = path;
  }

  get server(): string | undefined {
    return this.#read().server;
  }

  session(server: string): StoredSession | undefined {
    return this.#read().sessions[server];
  }

  /** Keeps the session, and talks to its server from now on. */
  store(server: string, session: StoredSession): void {
    this.#write({ server, sessions: { ...this.#read().sessions, [server]: session } });
  }

  /** Answers whether there was a session to forget. */
  forget(server: string): boolean {
    const content = this.#read();
    const { [server]: session, ...sessions } = content.sessions;
    if (session === undefined) return false;
    this.#write({ ...content, sessions });
    return true;
  }

  #read(): ProfileContent {
    this.#content ??= this.#readFile();
    return this.#content;
  }

  #readFile(): ProfileContent {
    let text: string;
    try {
      text = readFileSync(this.path, 'utf8');
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
        return { sessions: {} };
      throw error;
    }
    try {
      // Written by this class only.
      return JSON.parse(text) as ProfileContent;
    } catch (cause) {
      const hint = 'Remove the file and sign in again.';
      throw new CommandFailure(`${this.path} is not valid JSON`, { hint, cause });
    }
  }

  /** Writes the file so that others can never read it, and never see half of it. */
  #write(content: ProfileContent): void {
    mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
    const draft = `${this.path}.${process.pid}`;
    rmSync(draft, { force: true });
    writeFileSync(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    renameSync(draft, this.path);
    this.#content = content;
  }
}

export function profilePath(env: Terminal['env']): string {
  return join(baseFolder(env, 'XDG_CONFIG_HOME', '.config'), 'trellis', 'profile.json');
}

/** Where imports remember how far they came. */
export function importStateFolder(env: Terminal['env']): string {
  return join(baseFolder(env, 'XDG_STATE_HOME', '.local/state'), 'trellis', 'imports');
}

/** By the XDG Base Directory Specification a relative path is to be ignored. */
function baseFolder(env: Terminal['env'], variable: string, fallback: string): string {
  const folder = env[variable];
  if (folder !== undefined && isAbsolute(folder)) return folder;
  return join(env['HOME'] ?? homedir(), fallback);
}

import {
  ENDPOINT_CODE_BYTES_MAX,
  ENDPOINT_DESCRIPTION_CHARACTERS_MAX,
  ENDPOINT_NAME_CHARACTERS_MAX,
  ENDPOINT_TIMEOUT_DEFAULT_MS,
  ENDPOINT_TIMEOUT_MAX_MS,
} from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import type { Diagnostic } from './compile/diagnostic.ts';

/** What an administrator decides about an endpoint (open-shapes, section 5). */
export interface EndpointSettings {
  readonly code: string;
  /** Checked and run in the read-only scope. */
  readonly isReadOnly: boolean;
  /**
   * `pooling`: a slow run is answered later. Stored and shown, but not yet acted upon: every call
   * waits for its answer, as with `sync`.
   */
  readonly mode: 'sync' | 'pooling';
  readonly access: 'users' | 'admins';
  /**
   * How long an answer may be given again; 0 is never. Stored and shown, but not yet acted upon:
   * every call runs.
   */
  readonly cacheSeconds: number;
  /** `asUser()` sees what an administrator sees; `CurrentUser` is the caller all the same. */
  readonly runAsAdmin: boolean;
  readonly timeoutMs: number;
  readonly description: string;
}

export interface EndpointDefinition extends EndpointSettings {
  readonly UID: string;
  readonly name: string;
  /** Starts at 1 and rises by 1 with every change. */
  readonly version: number;
  /** Whether `code` does; when not, the newest version that did is served. */
  readonly compiles: boolean;
  readonly diagnostics: Diagnostic[];
}

export type NewEndpoint = OptionalMembers<Omit<EndpointSettings, 'code'>> & {
  readonly name: string;
  readonly code: string;
};

/** What is left out stays as it is. */
export type EndpointChange = OptionalMembers<EndpointSettings> & {
  readonly name?: string | undefined;
};

type OptionalMembers<T> = { readonly [K in keyof T]?: T[K] | undefined };

export const DEFAULT_SETTINGS: Omit<EndpointSettings, 'code'> = {
  isReadOnly: false,
  mode: 'sync',
  access: 'users',
  cacheSeconds: 0,
  runAsAdmin: false,
  timeoutMs: ENDPOINT_TIMEOUT_DEFAULT_MS,
  description: '',
};

/**
 * Settings with what a request gives of them laid over. Throws `invalid_request` for what cannot
 * be.
 */
export function withChanges(base: EndpointSettings, change: EndpointChange): EndpointSettings {
  const settings = {
    code: change.code ?? base.code,
    isReadOnly: change.isReadOnly ?? base.isReadOnly,
    mode: change.mode ?? base.mode,
    access: change.access ?? base.access,
    cacheSeconds: change.cacheSeconds ?? base.cacheSeconds,
    runAsAdmin: change.runAsAdmin ?? base.runAsAdmin,
    timeoutMs: change.timeoutMs ?? base.timeoutMs,
    description: change.description ?? base.description,
  };
  checkCode(settings.code);
  check('mode', ['sync', 'pooling'].includes(settings.mode), 'must be "sync" or "pooling"');
  check('access', ['users', 'admins'].includes(settings.access), 'must be "users" or "admins"');
  check(
    'cacheSeconds',
    Number.isInteger(settings.cacheSeconds) && settings.cacheSeconds >= 0,
    'must be a whole number, 0 or more',
  );
  check(
    'timeoutMs',
    Number.isInteger(settings.timeoutMs) &&
      settings.timeoutMs >= 1 &&
      settings.timeoutMs <= ENDPOINT_TIMEOUT_MAX_MS,
    `must be a whole number from 1 to ${ENDPOINT_TIMEOUT_MAX_MS}`,
  );
  check(
    'description',
    settings.description.length <= ENDPOINT_DESCRIPTION_CHARACTERS_MAX,
    `must have at most ${ENDPOINT_DESCRIPTION_CHARACTERS_MAX} characters`,
  );
  return settings;
}

export function checkCode(code: string): void {
  check(
    'code',
    Buffer.byteLength(code) <= ENDPOINT_CODE_BYTES_MAX,
    `must be at most ${ENDPOINT_CODE_BYTES_MAX} bytes of UTF-8`,
  );
  check('code', code.isWellFormed(), 'must be well-formed text');
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*(?:\/[A-Za-z0-9][A-Za-z0-9._-]*)*$/;
/** Routes of the server, and what will be. */
const RESERVED_NAMES = ['create', 'check', 'metrics', 'run', 'token', 'system'];
const RESERVED_FOLDERS = ['run', 'token', 'system'];

/** Throws `invalid_request` unless an endpoint may have this name. */
export function checkName(name: string): void {
  check('name', NAME.test(name), NAME_RULE);
  check(
    'name',
    name.length <= ENDPOINT_NAME_CHARACTERS_MAX,
    `must have at most ${ENDPOINT_NAME_CHARACTERS_MAX} characters`,
  );
  const [folder = ''] = name.split('/');
  const isReserved =
    RESERVED_NAMES.includes(name) || (folder !== name && RESERVED_FOLDERS.includes(folder));
  check('name', !isReserved, `"${name}" is reserved for the server`);
}

const NAME_RULE =
  'must be made of letters, digits, "-", "_" and ".", in segments that begin with a letter ' +
  'or a digit and are joined by "/"';

function check(path: string, isGood: boolean, message: string): void {
  if (isGood) return;
  throw new Problem('invalid_request', `The endpoint's ${path} ${message}`, {
    details: { fields: [{ path, message }] },
  });
}

import { ENDPOINT_ACCESS_DEFAULT, type EndpointChange } from '@trellis/contract/shapes/endpoint.ts';
import { Problem } from '#base/problem.ts';
import {
  ENDPOINT_CACHE_SECONDS_MAX,
  ENDPOINT_CODE_BYTES_MAX,
  ENDPOINT_CONCURRENT_MAX,
  ENDPOINT_DESCRIPTION_CHARACTERS_MAX,
  ENDPOINT_NAME_CHARACTERS_MAX,
  ENDPOINT_QUEUED_DEFAULT,
  ENDPOINT_QUEUED_MAX,
  ENDPOINT_TIMEOUT_DEFAULT_MS,
  ENDPOINT_TIMEOUT_MAX_MS,
} from '@trellis/contract/limits.ts';

/** What an administrator decides about an endpoint (open-shapes, section 5). */
export interface EndpointSettings {
  readonly code: string;
  /** Checked and run in the read-only scope. */
  readonly isReadOnly: boolean;
  /** `pooling`: a slow run is answered later (see `pooled-runs.ts`). */
  readonly mode: 'sync' | 'pooling';
  readonly access: 'users' | 'admins';
  /** How long the answer of a run that wrote nothing may be given again; 0 is never. */
  readonly cacheSeconds: number;
  /** `asUser()` sees what an administrator sees; `CurrentUser` is the caller all the same. */
  readonly runAsAdmin: boolean;
  readonly timeoutMs: number;
  /** Runs at a time in this process; 0 is no limit of its own. */
  readonly maxConcurrent: number;
  /** Calls that wait for one of these runs to end. */
  readonly maxQueued: number;
  readonly description: string;
}

export const DEFAULT_SETTINGS: Omit<EndpointSettings, 'code'> = {
  isReadOnly: false,
  mode: 'sync',
  access: ENDPOINT_ACCESS_DEFAULT,
  cacheSeconds: 0,
  runAsAdmin: false,
  timeoutMs: ENDPOINT_TIMEOUT_DEFAULT_MS,
  maxConcurrent: 0,
  maxQueued: ENDPOINT_QUEUED_DEFAULT,
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
    maxConcurrent: change.maxConcurrent ?? base.maxConcurrent,
    maxQueued: change.maxQueued ?? base.maxQueued,
    description: change.description ?? base.description,
  };
  checkCode(settings.code);
  check('mode', ['sync', 'pooling'].includes(settings.mode), 'must be "sync" or "pooling"');
  check('access', ['users', 'admins'].includes(settings.access), 'must be "users" or "admins"');
  checkInteger(settings, 'cacheSeconds', 0, ENDPOINT_CACHE_SECONDS_MAX);
  checkInteger(settings, 'timeoutMs', 1, ENDPOINT_TIMEOUT_MAX_MS);
  checkInteger(settings, 'maxConcurrent', 0, ENDPOINT_CONCURRENT_MAX);
  checkInteger(settings, 'maxQueued', 0, ENDPOINT_QUEUED_MAX);
  check(
    'description',
    settings.description.length <= ENDPOINT_DESCRIPTION_CHARACTERS_MAX,
    `must have at most ${ENDPOINT_DESCRIPTION_CHARACTERS_MAX} characters`,
  );
  return settings;
}

/** The settings of an endpoint alone, in the order in which people are shown them. */
export function settingsOf(endpoint: EndpointSettings): Omit<EndpointSettings, 'code'> {
  const { isReadOnly, mode, access, cacheSeconds, runAsAdmin } = endpoint;
  const { timeoutMs, maxConcurrent, maxQueued, description } = endpoint;
  return {
    isReadOnly,
    mode,
    access,
    cacheSeconds,
    runAsAdmin,
    timeoutMs,
    maxConcurrent,
    maxQueued,
    description,
  };
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
/** The server's own endpoints. */
export const BUILT_IN_FOLDER = 'system';
/** Routes of the server, and what will be. */
const RESERVED_NAMES = [
  'create',
  'check',
  'logs',
  'logs/live',
  'metrics',
  'run',
  'token',
  BUILT_IN_FOLDER,
];
const RESERVED_FOLDERS = ['run', 'token', BUILT_IN_FOLDER];

/** Whether the server brings an endpoint of this name along. */
export function isBuiltIn(name: string): boolean {
  return name.startsWith(`${BUILT_IN_FOLDER}/`);
}

/**
 * Such an endpoint is as it is, so that the front end can rely on it. Throws `endpoint_built_in`.
 */
export function refuseBuiltIn(name: string): void {
  if (!isBuiltIn(name)) return;
  throw new Problem('endpoint_built_in', `The endpoint "${name}" belongs to the server`);
}

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

type NumberSetting = 'cacheSeconds' | 'timeoutMs' | 'maxConcurrent' | 'maxQueued';

function checkInteger(
  settings: EndpointSettings,
  name: NumberSetting,
  min: number,
  max: number,
): void {
  const value = settings[name];
  check(
    name,
    Number.isInteger(value) && value >= min && value <= max,
    `must be a whole number from ${min} to ${max}`,
  );
}

function check(path: string, isGood: boolean, message: string): void {
  if (isGood) return;
  throw new Problem('invalid_request', `The endpoint's ${path} ${message}`, {
    details: { fields: [{ path, message }] },
  });
}

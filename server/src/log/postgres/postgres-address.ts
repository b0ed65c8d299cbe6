import { readFileSync } from 'node:fs';
import type { ClientConfig } from 'pg';

/** Where PostgreSQL is, and how it is spoken to. */
export interface PostgresAddress {
  /** One for each host, in the order of the address; the first that takes writes is used. */
  readonly servers: readonly ClientConfig[];
  /** The hosts and the database, for messages: no user and no password. */
  readonly name: string;
}

type TlsOptions = Exclude<ClientConfig['ssl'], boolean | undefined>;

const PORT = 5_432;
const CONNECT_TIMEOUT_S = 5;
const PARAMETERS: ReadonlySet<string> = new Set([
  'application_name',
  'connect_timeout',
  'host',
  'port',
  'sslcert',
  'sslkey',
  'sslmode',
  'sslrootcert',
  'target_session_attrs',
]);
const ADDRESS =
  /^postgres(?:ql)?:\/\/(?:(?<user>[^:@/?#]*)(?::(?<password>[^@/?#]*))?@)?(?<hosts>[^/?#@]*)(?:\/(?<database>[^?#]*))?(?:\?(?<parameters>[^#]*))?$/;

/**
 * Reads an address as libpq does, with several hosts:
 *
 *     postgres://trellis:secret@db1,db2:5433/graph?sslmode=verify-full&sslrootcert=/etc/ca.pem
 *
 * `pg` reads only addresses with one host. Returns a sentence when the text is no such address; it
 * does not repeat the text, which may hold a password.
 *
 * Unlike with libpq, the default of `sslmode` is `verify-full`, or `disable` for a socket and for
 * this machine: whoever wants less protection says so.
 */
export function parsePostgresAddress(text: string): PostgresAddress | string {
  const parts = ADDRESS.exec(text)?.groups;
  if (parts === undefined) return 'it is not of the form postgres://user:password@host/database';
  const parameters = new URLSearchParams(parts['parameters'] ?? '');
  const unknown = [...parameters.keys()].find((name) => !PARAMETERS.has(name));
  if (unknown !== undefined) return `its parameter "${unknown}" is not known`;
  const attributes = parameters.get('target_session_attrs') ?? 'read-write';
  if (attributes !== 'read-write' && attributes !== 'primary') {
    return 'its target_session_attrs must be read-write or primary';
  }
  try {
    return addressOf({
      user: decodeURIComponent(parts['user'] ?? ''),
      password: decodeURIComponent(parts['password'] ?? ''),
      hosts: hostsOf(parts['hosts'] ?? '', parameters),
      database: decodeURIComponent(parts['database'] ?? ''),
      parameters,
    });
  } catch (error) {
    return error instanceof AddressError ? error.message : 'it has a broken %-escape';
  }
}

class AddressError extends Error {}

interface AddressParts {
  readonly user: string;
  readonly password: string;
  readonly hosts: readonly Host[];
  readonly database: string;
  readonly parameters: URLSearchParams;
}

interface Host {
  /** A folder with a socket when it begins with a slash. */
  readonly host: string;
  readonly port: number;
}

function addressOf({ user, password, hosts, database, parameters }: AddressParts): PostgresAddress {
  if (user === '') throw new AddressError('it names no user');
  if (database === '') throw new AddressError('it names no database');
  const timeoutMs = numberOf('connect_timeout', parameters, CONNECT_TIMEOUT_S, 600) * 1_000;
  const tls = tlsOf(parameters);
  const servers = hosts.map(({ host, port }): ClientConfig => {
    return {
      host,
      port,
      user,
      // Without one, `pg` would take that of the environment.
      password: password === '' ? () => '' : password,
      database,
      ssl: tls(host),
      application_name: parameters.get('application_name') ?? 'trellis',
      connectionTimeoutMillis: timeoutMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: 2_000,
    };
  });
  const names = hosts.map(({ host, port }) => (port === PORT ? host : `${host}:${port}`));
  return { servers, name: `${names.join(',')}/${database}` };
}

function hostsOf(text: string, parameters: URLSearchParams): Host[] {
  const port = numberOf('port', parameters, PORT, 65_535);
  const written = text === '' ? (parameters.get('host') ?? '') : text;
  const hosts = written.split(',').map((each) => {
    const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(each);
    const host = decodeURIComponent(match?.[1] ?? match?.[2] ?? '');
    const ownPort = match?.[3] === undefined ? port : Number(match[3]);
    if (host === '' || ownPort < 1 || ownPort > 65_535) {
      throw new AddressError('its hosts are not host or host:port, with commas in between');
    }
    return { host, port: ownPort };
  });
  return hosts;
}

function numberOf(
  name: string,
  parameters: URLSearchParams,
  byDefault: number,
  max: number,
): number {
  const text = parameters.get(name);
  if (text === null) return byDefault;
  const value = Number(text);
  if (/^\d{1,5}$/.test(text) && value >= 1 && value <= max) return value;
  throw new AddressError(`its ${name} is not a whole number from 1 to ${max}`);
}

const MODES: ReadonlySet<string> = new Set(['disable', 'require', 'verify-ca', 'verify-full']);

function tlsOf(parameters: URLSearchParams): (host: string) => TlsOptions | false {
  const mode = parameters.get('sslmode');
  if (mode !== null && !MODES.has(mode)) {
    throw new AddressError('its sslmode is not disable, require, verify-ca or verify-full');
  }
  const files: TlsOptions = {
    ...fileOf('ca', 'sslrootcert', parameters),
    ...fileOf('cert', 'sslcert', parameters),
    ...fileOf('key', 'sslkey', parameters),
  };
  if (mode === 'verify-ca' && files.ca === undefined) {
    throw new AddressError('its sslmode verify-ca needs sslrootcert');
  }
  return (host) => {
    const chosen = mode ?? (isHere(host) ? 'disable' : 'verify-full');
    if (chosen === 'disable') return false;
    // With a file of authorities, `require` is `verify-ca`, as with libpq.
    if (chosen === 'require' && files.ca === undefined) return { rejectUnauthorized: false };
    if (chosen === 'verify-full') return { ...files, host, rejectUnauthorized: true };
    return { ...files, host, rejectUnauthorized: true, checkServerIdentity: () => undefined };
  };
}

function isHere(host: string): boolean {
  return host.startsWith('/') || ['localhost', '127.0.0.1', '::1'].includes(host);
}

function fileOf(
  option: 'ca' | 'cert' | 'key',
  name: string,
  parameters: URLSearchParams,
): TlsOptions {
  const path = parameters.get(name);
  if (path === null) return {};
  try {
    return { [option]: readFileSync(path) };
  } catch {
    throw new AddressError(`the file of its ${name} cannot be read`);
  }
}

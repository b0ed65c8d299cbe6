import { LOG_LEVELS } from '@trellis/contract/log-levels.ts';
import { ipVersion } from '#base/ip-address.ts';
import { BACKUPS_KEPT_MAX } from '#base/backup-limits.ts';
import { KEY_BYTES_MIN } from '#base/sign-in-limits.ts';
import { SEARCH_BUILD_THREADS_MAX } from '#base/search-limits.ts';
import { PASSWORD_CHARACTERS_MAX } from '@trellis/contract/limits.ts';

/** `problem` ends a sentence that begins with the variable's name; `remedy` says what to do. */
export class ValueFault {
  readonly problem: string;
  readonly remedy: string;

  constructor(problem: string, remedy: string) {
    this.problem = problem;
    this.remedy = remedy;
  }
}

export const LOG_THRESHOLDS = [...LOG_LEVELS, 'silent'] as const;
export type LogThreshold = (typeof LOG_THRESHOLDS)[number];

/** How each type is read. A parser gets text that is not empty and returns the value or a fault. */
export const parsers = {
  text: (text: string): string => text,
  key: parseKey,
  'master-key': parseMasterKey,
  boolean: parseBoolean,
  port: parsePort,
  mebibytes: parseMebibytes,
  count: parseCount,
  threads: parseThreads,
  percent: parsePercent,
  host: parseHost,
  /** A path, absolute or relative to the folder in which the server was started. */
  folder: (text: string): string => text,
  folders: parseFolders,
  'backup-target': parseBackupTarget,
  url: parseUrl,
  origins: parseOrigins,
  networks: parseNetworks,
  password: parsePassword,
  'smtp-url': parseSmtpUrl,
  'postgres-url': parsePostgresUrl,
  'workspace-name': parseWorkspaceName,
  'member-name': parseMemberName,
  'log-level': parseLogLevel,
  'preview-mode': parsePreviewMode,
} as const;

export type VariableType = keyof typeof parsers;
export type ParsedValue<T extends VariableType> = Exclude<
  ReturnType<(typeof parsers)[T]>,
  ValueFault
>;

/**
 * For example 256 random bits in base64. Who holds what it signs or encrypts can guess a shorter
 * one.
 */
function parseKey(text: string): string | ValueFault {
  const bytes = Buffer.byteLength(text);
  // The value is a secret and is not shown.
  if (bytes >= KEY_BYTES_MIN) return text;
  return new ValueFault(
    `has ${bytes} bytes, fewer than ${KEY_BYTES_MIN}, so that it can be guessed`,
    'Set a random one, which this prints: openssl rand -base64 32',
  );
}

/** A store already encrypted with a short key needs `rotate-key`, not just another value. */
function parseMasterKey(text: string): string | ValueFault {
  const key = parseKey(text);
  if (!(key instanceof ValueFault)) return key;
  const remedy = `${key.remedy}. A store that has this key gets the new one by "trellis storage rotate-key"`;
  return new ValueFault(key.problem, `${remedy}.`);
}

/** The log reads it more closely (`parsePostgresAddress`). */
function parsePostgresUrl(text: string): string | ValueFault {
  if (/^postgres(?:ql)?:\/\//.test(text)) return text;
  // The value may hold a password and is not shown.
  return new ValueFault(
    'is no address of PostgreSQL',
    'Set it to postgres://user:password@host/database.',
  );
}

function parseWorkspaceName(text: string): string | ValueFault {
  if (/^[a-z][a-z0-9_-]{0,39}$/.test(text)) return text;
  return new ValueFault(
    `is ${quote(text)}, which is no name of a workspace`,
    'Set 1 to 40 of a-z, 0-9, - and _, a letter first.',
  );
}

function parseMemberName(text: string): string | ValueFault {
  if (/^[\w.:-]{1,100}$/.test(text)) return text;
  return new ValueFault(
    `is ${quote(text)}, which is no name of a member`,
    'Set 1 to 100 letters, digits, or characters of . : - and _.',
  );
}

function parseBoolean(text: string): boolean | ValueFault {
  switch (text.toLowerCase()) {
    case 'true':
    case '1':
      return true;
    case 'false':
    case '0':
      return false;
    default:
      return new ValueFault(
        `is ${quote(text)}, neither true nor false`,
        'Set it to true or false.',
      );
  }
}

function parsePort(text: string): number | ValueFault {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  return new ValueFault(`is ${quote(text)}, which is no port`, 'Set a number from 0 to 65535.');
}

function parseMebibytes(text: string): number | ValueFault {
  const count = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (count > 0) return count;
  return new ValueFault(
    `is ${quote(text)}, which is no number of MiB`,
    'Set a whole number from 1 on, such as 2048.',
  );
}

function parseCount(text: string): number | ValueFault {
  const count = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (count <= BACKUPS_KEPT_MAX) return count;
  return new ValueFault(
    `is ${quote(text)}, which is no number of backups`,
    `Set a whole number from 0 to ${BACKUPS_KEPT_MAX}.`,
  );
}

function parseThreads(text: string): number | ValueFault {
  const count = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (count > 0 && count <= SEARCH_BUILD_THREADS_MAX) return count;
  return new ValueFault(
    `is ${quote(text)}, which is no number of threads`,
    `Set a whole number from 1 to ${SEARCH_BUILD_THREADS_MAX}.`,
  );
}

function parsePercent(text: string): number | ValueFault {
  const percent = /^\d{1,3}(?:\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN;
  if (percent <= 100) return percent;
  return new ValueFault(
    `is ${quote(text)}, which is no percentage`,
    'Set a number from 0 to 100, such as 1 or 0.5.',
  );
}

function parseHost(text: string): string | ValueFault {
  const name = text.replace(/^\[(.*)\]$/, '$1');
  const isAddress6 = name.includes(':');
  const url = URL.parse(`http://${isAddress6 ? `[${name}]` : name}/`);
  if (url !== null && (isAddress6 || url.host === name.toLowerCase())) return name;
  return new ValueFault(
    `is ${quote(text)}, neither an IP address nor a host name`,
    'Set an address such as 127.0.0.1, 0.0.0.0 or ::, without scheme and port.',
  );
}

function parseUrl(text: string): string | ValueFault {
  const url = URL.parse(text);
  if (url === null || !isHttp(url)) {
    return new ValueFault(
      `is ${quote(text)}, which is no http or https URL`,
      'Set a full URL such as https://graph.example.com.',
    );
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    return new ValueFault(
      'has a user, a query or a fragment',
      'Set scheme, host, port and path only, such as https://graph.example.com.',
    );
  }
  return url.href.replace(/\/+$/, '');
}

function parseFolders(text: string): readonly string[] | ValueFault {
  const items = text.split(';').map((item) => item.trim());
  const folders = items.filter((item) => item !== '');
  const wrong = folders.find((item) => !item.startsWith('/'));
  if (wrong === undefined) return folders;
  return new ValueFault(
    `has ${quote(wrong)}, which is no absolute path`,
    'List folders such as /srv/files, with ";" between them.',
  );
}

/** A folder, or a bucket and the prefix of the names of objects in it. */
export type BackupTargetValue =
  | { readonly kind: 'folder'; readonly folder: string }
  | { readonly kind: 's3'; readonly bucket: string; readonly prefix: string };

function parseBackupTarget(text: string): BackupTargetValue | ValueFault {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return { kind: 'folder', folder: text };
  const [, bucket, prefix = ''] =
    /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w./-]*))?$/.exec(text) ?? [];
  const parts = prefix.split('/').filter((part) => part !== '');
  if (bucket !== undefined && parts.every((part) => part !== '.' && part !== '..')) {
    return { kind: 's3', bucket, prefix: parts.join('/') };
  }
  return new ValueFault(
    `is ${quote(text)}, neither a folder nor a place in a bucket`,
    'Set a folder, or s3://bucket/prefix with letters, digits and . _ - in the prefix.',
  );
}

function parseOrigins(text: string): readonly string[] | ValueFault {
  const origins = new Set<string>();
  for (const part of text.split(';')) {
    const item = part.trim();
    if (item === '') continue;
    const url = URL.parse(item);
    if (url === null || !isHttp(url) || url.href !== `${url.origin}/`) {
      return new ValueFault(
        `has ${quote(item)}, which is no origin`,
        'List origins such as https://app.example.com (scheme, host and port, no path) with ";" between them.',
      );
    }
    origins.add(url.origin);
  }
  return [...origins];
}

/** IP addresses, and networks such as 10.0.0.0/8. */
function parseNetworks(text: string): readonly string[] | ValueFault {
  const items = text.split(/[;,]/).map((item) => item.trim());
  const networks = items.filter((item) => item !== '');
  const wrong = networks.find((item) => !isNetwork(item));
  if (wrong === undefined) return networks;
  return new ValueFault(
    `has ${quote(wrong)}, which is neither an IP address nor a network`,
    'List those of your proxies, such as 10.0.0.7 or 10.1.0.0/16, with ";" between them.',
  );
}

function isNetwork(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const version = ipVersion(address);
  if (version === undefined || rest.length > 0) return false;
  const bits = version === 6 ? 128 : 32;
  // A prefix of 0 bits would match everybody.
  return prefix === undefined || (/^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= bits);
}

function parsePassword(text: string): string | ValueFault {
  const { length } = text;
  // A short one is the operator's risk; `warningsOf` says so.
  if (length <= PASSWORD_CHARACTERS_MAX) return text;
  return new ValueFault(`has ${length} characters`, `Choose at most ${PASSWORD_CHARACTERS_MAX}.`);
}

function parseSmtpUrl(text: string): string | ValueFault {
  const url = URL.parse(text);
  const isSmtp = url !== null && (url.protocol === 'smtp:' || url.protocol === 'smtps:');
  if (isSmtp && url.hostname !== '') return text;
  // The value holds a password and is not shown.
  return new ValueFault('is no smtp or smtps URL', 'Set smtp://user:password@host:port.');
}

function parseLogLevel(text: string): LogThreshold | ValueFault {
  const level = LOG_THRESHOLDS.find((known) => known === text.toLowerCase());
  if (level !== undefined) return level;
  return new ValueFault(
    `is ${quote(text)}, which is no level`,
    `Set ${LOG_THRESHOLDS.join(', ')}.`,
  );
}

/** Whether a preview lets code and models reach outside. */
export type PreviewMode = 'closed' | 'open';

function parsePreviewMode(text: string): PreviewMode | ValueFault {
  if (text === 'closed' || text === 'open') return text;
  return new ValueFault(`is ${quote(text)}, neither closed nor open`, 'Set closed, or nothing.');
}

function isHttp(url: URL): boolean {
  return url.protocol === 'http:' || url.protocol === 'https:';
}

/** A value as people see it: on one line, cut when it is long. */
function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}...` : text);
}

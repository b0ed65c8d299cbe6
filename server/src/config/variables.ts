import type { VariableType } from './parsers.ts';

/** One row of the table. `default` is written as it would be in the environment and read the same way. */
export interface Variable {
  readonly type: VariableType;
  readonly default: string | null;
  /** For `--help` and the documentation: what it is for, in one or two sentences. */
  readonly description: string;
  /** Never printed, and handed out apart from the other settings. */
  readonly secret?: true;
}

/** Every variable the server reads (specification, section 2.9; open-shapes, section 1). Nothing else reads the environment. */
export const variables = {
  MSK_HOST: {
    type: 'host',
    default: '127.0.0.1',
    description: 'Address of the HTTP listener; 0.0.0.0 or :: for every network interface.',
  },
  MSK_PORT: {
    type: 'port',
    default: '8080',
    description: 'Port of the HTTP listener; 0 takes any free one, which the ready line names.',
  },
  MSK_GRAPH_STORAGE: {
    type: 'folder',
    default: './data',
    description:
      'Folder that holds the whole database, on a local disk. A replica must name it: it holds its copy.',
  },
  MSK_GRAPH_MASTER_KEY: {
    type: 'master-key',
    default: null,
    secret: true,
    description:
      'Encrypts the stored graph; 32 bytes or more, such as the output of "openssl rand -base64 32". The same on the primary and every replica.',
  },
  MSK_GRAPH_BACKUP_FOLDER: {
    type: 'backup-target',
    default: null,
    description:
      'Where backups are kept: a folder outside the storage folder, or s3://bucket/prefix in a store of objects.',
  },
  MSK_GRAPH_BACKUP_S3_ENDPOINT: {
    type: 'url',
    default: null,
    description: 'URL of the store of objects; that of AWS for the region when not set.',
  },
  MSK_GRAPH_BACKUP_S3_REGION: {
    type: 'text',
    default: 'us-east-1',
    description: 'Region of the bucket.',
  },
  MSK_GRAPH_BACKUP_S3_ACCESS_KEY: {
    type: 'text',
    default: null,
    secret: true,
    description: 'Id of the key that reads and writes the bucket.',
  },
  MSK_GRAPH_BACKUP_S3_SECRET_KEY: {
    type: 'text',
    default: null,
    secret: true,
    description: 'The secret of that key.',
  },
  MSK_GRAPH_BACKUP_KEEP: {
    type: 'count',
    default: '30',
    description: 'How many of the newest backups are kept, whatever their age.',
  },
  MSK_GRAPH_BACKUP_KEEP_DAYS: {
    type: 'count',
    default: '14',
    description: 'Of how many days that have backups the newest one is kept as well.',
  },
  MSK_GRAPH_BACKUP_KEEP_WEEKS: {
    type: 'count',
    default: '8',
    description: 'Of how many weeks that have backups the newest one is kept as well.',
  },
  MSK_ADMIN_PASSWORD: {
    type: 'password',
    default: null,
    secret: true,
    description:
      'Password of the first administrator, "admin"; read at the first start only. Without it a random one is printed once.',
  },
  MSK_JWT_KEY: {
    type: 'key',
    default: null,
    secret: true,
    description:
      'Signs every session and token, and the replication secret is derived from it; 32 bytes or more, such as the output of "openssl rand -base64 32". The same on the primary and every replica. Without it a primary keeps a random key in its storage folder and replication is off.',
  },
  MSK_PUBLIC_ADDRESS: {
    type: 'url',
    default: null,
    description: 'URL under which others reach this server. Replication needs it on both sides.',
  },
  MSK_SERVER_ADDRESS: {
    type: 'url',
    default: null,
    description:
      'Internal URL for calls between primary and replica; MSK_PUBLIC_ADDRESS when not set.',
  },
  MSK_CORS: {
    type: 'origins',
    default: '',
    description:
      'Origins whose pages may call this server, separated by semicolons. A replica adds that of its primary.',
  },
  MSK_USE_HSTS: {
    type: 'boolean',
    default: 'false',
    description: 'Sends Strict-Transport-Security; for a server behind TLS.',
  },
  MSK_REDIRECT_TO_HTTPS: {
    type: 'boolean',
    default: 'false',
    description:
      'Redirects plain HTTP to HTTPS; for a server behind TLS whose proxy sends X-Forwarded-Proto.',
  },
  MSK_TRUSTED_PROXIES: {
    type: 'networks',
    default: '',
    description:
      'IP addresses and networks of your proxies, separated by semicolons, such as "10.0.0.7;10.1.0.0/16". Only they are believed which address a request comes from (X-Forwarded-For).',
  },
  MSK_REPLICA: {
    type: 'boolean',
    default: 'false',
    description: 'Runs as a read-only replica of MSK_PRIMARY_ADDRESS.',
  },
  MSK_PRIMARY_ADDRESS: {
    type: 'url',
    default: null,
    description: 'Full URL of the primary that a replica registers with and follows.',
  },
  MSK_REPLICATION_HOST: {
    type: 'host',
    default: null,
    description:
      'Address that a primary listens on for replicas; that of MSK_HOST when not set. Set it where HTTP comes through a proxy on the same host and replicas do not.',
  },
  MSK_REPLICATION_PORT: {
    type: 'port',
    default: '42999',
    description:
      'Port of the replication channel: a primary listens on it, a replica connects to it. Never public.',
  },
  MSK_LICENSE: {
    type: 'text',
    default: null,
    secret: true,
    description: 'Signed licence, or a path to it. A replica needs one with the feature Replicas.',
  },
  MSK_LICENSE_PUBLIC_KEY: {
    type: 'text',
    default: null,
    description: 'Ed25519 public key that licences are verified with: PEM text, or a path to it.',
  },
  MSK_SMTP_URL: {
    type: 'smtp-url',
    default: null,
    secret: true,
    description:
      'Mail server for outgoing mail, smtp:// or smtps://. Without it administrators see reset links instead.',
  },
  MSK_LOW_MEMORY: {
    type: 'boolean',
    default: 'false',
    description: 'Low-memory mode: small caches and a log archive of 30 s or 1 MB.',
  },
  MSK_SEARCH_MEMORY_MB: {
    type: 'megabytes',
    default: null,
    description:
      'Memory for the search index of this process; the rest of a larger index is read from its files. A quarter of the machine, and 64 in low-memory mode, unless set.',
  },
  MSK_SEARCH_BUILD_THREADS: {
    type: 'threads',
    default: null,
    description:
      'Threads that build the search index when much is indexed anew. One for each processor, as far as the memory of the index goes (one for each 128 MB of it, 8 at most), unless set.',
  },
  MSK_LOG_LEVEL: {
    type: 'log-level',
    default: 'info',
    description: 'Least severe level that is logged.',
  },
  MSK_LOG_PATH: {
    type: 'folder',
    default: null,
    description: 'Folder for log files, in addition to JSON lines on stderr.',
  },
  TRELLIS_SAMPLE: {
    type: 'text',
    default: 'wordnet',
    description: 'Sample graph that an empty store is filled with; anything but wordnet is none.',
  },
  TRELLIS_FRONT_END: {
    type: 'folder',
    default: null,
    description:
      'Folder of the browser application that a primary serves, and its replicas with it; the built-in one when not set.',
  },
} as const satisfies Readonly<Record<string, Variable>>;

export type VariableName = keyof typeof variables;

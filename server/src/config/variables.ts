import type { ParsedValue, VariableType } from './parsers.ts';

/** By what they are about, in the order of `trellis serve --help` and of docs/configuration.md. */
export const VARIABLE_GROUPS = {
  listener: 'Addresses',
  storage: 'Storage',
  access: 'Sign-in',
  backups: 'Backups',
  replicas: 'Replicas',
  members: 'Members',
  memory: 'Memory and threads',
  operation: 'Logs and front end',
} as const;

/** One row of the table. `default` is written and read as it would be in the environment. */
export interface Variable {
  readonly group: keyof typeof VARIABLE_GROUPS;
  readonly type: VariableType;
  readonly default: string | null;
  /** For docs/configuration.md: what it is for, in one or two sentences. */
  readonly description: string;
  /** Never printed, and handed out apart from the other settings. */
  readonly secret?: true;
}

/**
 * Every variable the server reads (specification, section 2.9; open-shapes, section 1), besides the
 * standard `OTEL_*`. `npm run configuration-page` writes docs/configuration.md from it.
 */
export const variables = {
  MSK_HOST: {
    group: 'listener',
    type: 'host',
    default: '127.0.0.1',
    description: 'Address of the HTTP listener. 0.0.0.0 or :: listens on every network interface.',
  },
  MSK_PORT: {
    group: 'listener',
    type: 'port',
    default: '8080',
    description: 'Port of the HTTP listener. 0 takes any free port, which the ready line names.',
  },
  MSK_PUBLIC_ADDRESS: {
    group: 'listener',
    type: 'url',
    default: null,
    description:
      'URL at which browsers and other programs reach this server. Replication needs it on both sides.',
  },
  MSK_SERVER_ADDRESS: {
    group: 'listener',
    type: 'url',
    default: null,
    description:
      'Internal URL for calls between primary and replica. When not set, MSK_PUBLIC_ADDRESS.',
  },
  MSK_CORS: {
    group: 'listener',
    type: 'origins',
    default: '',
    description:
      'Origins whose pages may call this server, separated by semicolons. A replica adds the origin of its primary.',
  },
  MSK_USE_HSTS: {
    group: 'listener',
    type: 'boolean',
    default: 'false',
    description: 'Sends Strict-Transport-Security. For a server that is reached over TLS.',
  },
  MSK_REDIRECT_TO_HTTPS: {
    group: 'listener',
    type: 'boolean',
    default: 'false',
    description:
      'Redirects plain HTTP to HTTPS. For a server that is reached over TLS through a proxy that sends X-Forwarded-Proto.',
  },
  MSK_TRUSTED_PROXIES: {
    group: 'listener',
    type: 'networks',
    default: '',
    description:
      'IP addresses and networks of your proxies, separated by semicolons, such as "10.0.0.7;10.1.0.0/16". The server believes X-Forwarded-For only from them.',
  },
  MSK_GRAPH_STORAGE: {
    group: 'storage',
    type: 'folder',
    default: './data',
    description:
      'Folder of the whole database, on a local disk. A replica must name one for its copy.',
  },
  MSK_GRAPH_MASTER_KEY: {
    group: 'storage',
    type: 'master-key',
    default: null,
    secret: true,
    description:
      'Encrypts the stored graph. At least 32 bytes, such as the output of "openssl rand -base64 32"; the same on the primary and every replica.',
  },
  TRELLIS_SAMPLE: {
    group: 'storage',
    type: 'text',
    default: 'wordnet',
    description: 'Sample graph that fills an empty store. Any value but wordnet means none.',
  },
  MSK_CONNECTOR_ROOTS: {
    group: 'storage',
    type: 'folders',
    default: '',
    description:
      'Folders of this machine that connectors may read, with what is below them, separated by semicolons. When not set, connectors read no file. Storage, backups and logs of the server are never read.',
  },
  MSK_ADMIN_PASSWORD: {
    group: 'access',
    type: 'password',
    default: null,
    secret: true,
    description:
      'Password of the first administrator, "admin". Read only at the first start; when not set, a random one is printed once.',
  },
  MSK_JWT_KEY: {
    group: 'access',
    type: 'key',
    default: null,
    secret: true,
    description:
      'Signs every session and token; the replication secret is derived from it. At least 32 bytes, such as the output of "openssl rand -base64 32"; the same on the primary and every replica. When not set, a primary keeps a random key in its storage folder and replication is off.',
  },
  MSK_SMTP_URL: {
    group: 'access',
    type: 'smtp-url',
    default: null,
    secret: true,
    description:
      'Mail server for outgoing mail, smtp:// or smtps://. When not set, administrators see links to reset passwords instead.',
  },
  MSK_OAUTH_REGISTRATION: {
    group: 'access',
    type: 'boolean',
    default: 'true',
    description:
      'Lets MCP clients register themselves, so that users can add this workspace to them. With false only clients with a grant, and those with a token of kind mcp, are let in.',
  },
  MSK_GRAPH_BACKUP_FOLDER: {
    group: 'backups',
    type: 'backup-target',
    default: null,
    description:
      'Where backups are kept: a folder outside the storage folder, best on another machine, or s3://bucket/prefix in an object store.',
  },
  MSK_GRAPH_BACKUP_S3_ENDPOINT: {
    group: 'backups',
    type: 'url',
    default: null,
    description:
      'URL of the object store, such as https://minio.example.com. When not set, AWS in MSK_GRAPH_BACKUP_S3_REGION.',
  },
  MSK_GRAPH_BACKUP_S3_REGION: {
    group: 'backups',
    type: 'text',
    default: 'us-east-1',
    description: 'Region of the bucket.',
  },
  MSK_GRAPH_BACKUP_S3_ACCESS_KEY: {
    group: 'backups',
    type: 'text',
    default: null,
    secret: true,
    description: 'Id of the key that reads, writes, lists and deletes objects in the bucket.',
  },
  MSK_GRAPH_BACKUP_S3_SECRET_KEY: {
    group: 'backups',
    type: 'text',
    default: null,
    secret: true,
    description: 'The secret of that key.',
  },
  MSK_GRAPH_BACKUP_KEEP: {
    group: 'backups',
    type: 'count',
    default: '30',
    description: 'This many of the newest backups are kept, whatever their age.',
  },
  MSK_GRAPH_BACKUP_KEEP_DAYS: {
    group: 'backups',
    type: 'count',
    default: '14',
    description: 'For this many days (UTC) that have backups, the newest of each day is kept too.',
  },
  MSK_GRAPH_BACKUP_KEEP_WEEKS: {
    group: 'backups',
    type: 'count',
    default: '8',
    description:
      'For this many weeks (from Monday) that have backups, the newest of each week is kept too.',
  },
  MSK_REPLICA: {
    group: 'replicas',
    type: 'boolean',
    default: 'false',
    description: 'Runs as a read-only replica of MSK_PRIMARY_ADDRESS.',
  },
  MSK_PRIMARY_ADDRESS: {
    group: 'replicas',
    type: 'url',
    default: null,
    description: 'Full URL of the primary that a replica registers with and follows.',
  },
  MSK_REPLICATION_HOST: {
    group: 'replicas',
    type: 'host',
    default: null,
    description:
      'Address on which a primary listens for replicas. When not set, MSK_HOST. Set it when HTTP comes through a proxy on the same machine and replicas do not.',
  },
  MSK_REPLICATION_PORT: {
    group: 'replicas',
    type: 'port',
    default: '42999',
    description:
      'Port of the replication channel: a primary listens on it, a replica connects to it. Never public.',
  },
  MSK_LICENSE: {
    group: 'replicas',
    type: 'text',
    default: null,
    secret: true,
    description:
      'Signed license, or the path of a file with it. A replica needs one with the feature Replicas.',
  },
  MSK_LICENSE_PUBLIC_KEY: {
    group: 'replicas',
    type: 'text',
    default: null,
    description:
      'Ed25519 public key that verifies licenses: PEM text, or the path of a file with it.',
  },
  MSK_LOG: {
    group: 'members',
    type: 'postgres-url',
    default: null,
    secret: true,
    description:
      'PostgreSQL that holds the commit log: postgres://user:password@host/database. Every process with the same MSK_LOG and MSK_WORKSPACE is a member of one workspace; one of them is the primary, and another takes over when it is lost. When not set, the log is in MSK_GRAPH_STORAGE.',
  },
  MSK_WORKSPACE: {
    group: 'members',
    type: 'workspace-name',
    default: 'main',
    description: 'Name of the workspace in MSK_LOG, which may hold several.',
  },
  MSK_MEMBER: {
    group: 'members',
    type: 'member-name',
    default: null,
    description:
      'Name of this member, which no other one has. When not set, the name of the machine and the port.',
  },
  MSK_LOW_MEMORY: {
    group: 'memory',
    type: 'boolean',
    default: 'false',
    description: 'Low-memory mode: small caches, and a log archive of 30 seconds or 1 MiB.',
  },
  MSK_GRAPH_MEMORY: {
    group: 'memory',
    type: 'mebibytes',
    default: null,
    description:
      'Memory in MiB, of all processes of the server together, in which connections between nodes are kept for queries that follow them. Not set, an eighth of the memory of the machine, or 16 in low-memory mode.',
  },
  MSK_SEARCH_MEMORY_MB: {
    group: 'memory',
    type: 'mebibytes',
    default: null,
    description:
      'Memory for the search index in MiB; the rest of a larger index is read from its files. When not set, a quarter of the memory of the machine, or 64 in low-memory mode.',
  },
  MSK_SEARCH_BUILD_THREADS: {
    group: 'memory',
    type: 'threads',
    default: null,
    description:
      'Threads that build the search index when much must be indexed again. When not set, one for each processor, but at most one for each 128 MiB of the memory of the index, and 8.',
  },
  MSK_LOG_LEVEL: {
    group: 'operation',
    type: 'log-level',
    default: 'info',
    description: 'Least severe level that is logged.',
  },
  MSK_LOG_PATH: {
    group: 'operation',
    type: 'folder',
    default: null,
    description: 'Folder for log files. Lines of JSON go to stderr in any case.',
  },
  MSK_ENDPOINT_TRACES: {
    group: 'operation',
    type: 'percent',
    default: '1',
    description:
      'How many percent of the calls of endpoints are traced, besides the first 5 of an endpoint in each minute. Calls that fail, are in conflict or take a second are traced anyway; 0 leaves only these.',
  },
  MSK_ENDPOINT_TRACE_INPUTS: {
    group: 'operation',
    type: 'boolean',
    default: 'true',
    description:
      'Whether a trace keeps the body that its endpoint was called with, up to 64 KB, for administrators to run it again. It stays in the memory of the server.',
  },
  TRELLIS_FRONT_END: {
    group: 'operation',
    type: 'folder',
    default: null,
    description:
      'Folder of the browser application that a primary and its replicas serve. When not set, the built-in one.',
  },
  TRELLIS_PREVIEW: {
    group: 'operation',
    type: 'preview-mode',
    default: null,
    description:
      'Set by "trellis preview" for the copy that it runs: nothing runs by itself there, and with "closed", code and models reach nothing outside; "open" allows them what the workspace allows.',
  },
} as const satisfies Readonly<Record<string, Variable>>;

export type VariableName = keyof typeof variables;

type Table = typeof variables;

/** One value for each variable; null when it is not set and has no default. */
export type Values = {
  readonly [Name in VariableName]:
    | ParsedValue<Table[Name]['type']>
    | (Table[Name]['default'] extends null ? null : never);
};

import { z } from 'zod';
import { graphName } from '../bounded-shapes.ts';
import type { Immutable } from '../immutable.ts';
import { queryInteger } from './list.ts';
import {
  CONNECTOR_ACCESS_TAKE_MAX,
  CONNECTOR_FILE_BYTES_MAX,
  CONNECTOR_GIT_COMMITS_MAX,
  CONNECTOR_NAME_CHARACTERS_MAX,
  CONNECTOR_QUERY_CHARACTERS_MAX,
  CONNECTOR_RULE_NAMES_MAX,
  CONNECTOR_RULES_MAX,
  CONNECTOR_SECRET_CHARACTERS_MAX,
  CONNECTOR_TEXT_CHARACTERS_MAX,
  CONNECTOR_URL_CHARACTERS_MAX,
  LIST_TAKE_DEFAULT,
  TASK_CRON_CHARACTERS_MAX,
  TASK_TIME_ZONE_CHARACTERS_MAX,
} from '../limits.ts';

/** An address of one of the schemes, without the password that is sealed apart from it. */
function address(schemes: readonly string[]) {
  return z
    .string()
    .max(CONNECTOR_URL_CHARACTERS_MAX)
    .refine(
      (text) => {
        const url = URL.canParse(text) ? new URL(text) : undefined;
        const isKnown = url !== undefined && schemes.includes(url.protocol.slice(0, -1));
        if (!isKnown || url.username !== '' || url.password !== '') return false;
        const isOnDisk = url.protocol === 'file:';
        if (isOnDisk && (url.search !== '' || url.hash !== '')) return false;
        return isOnDisk === (url.hostname === '');
      },
      `must be a URL with ${schemes.join(' or ')}, and without user and password`,
    );
}

const text = z.string().max(CONNECTOR_TEXT_CHARACTERS_MAX);
const column = text.min(1);
const typeName = graphName.min(1).regex(/^[^_]/, 'must not begin with "_"');

/** A table on the web, or on the disk of the server (`file:`): a node for each row. */
export const csvSource = z.strictObject({
  kind: z.literal('csv'),
  url: address(['https', 'http', 'file']),
  type: typeName,
  /** The column that has the key of each node. */
  key: column,
});
export type CsvSource = Immutable<z.infer<typeof csvSource>>;

/** A query of a database: a node for each row. */
export const postgresSource = z.strictObject({
  kind: z.literal('postgres'),
  /** With the name of the database as its path. */
  url: address(['postgres']),
  tls: z.boolean(),
  user: text.min(1),
  query: z.string().min(1).max(CONNECTOR_QUERY_CHARACTERS_MAX),
  type: typeName,
  key: column,
  /** The column that says when a row has changed last; null reads every row each time. */
  changed: column.nullable(),
  /** The column with the name of the team that may see a row; null opens rows to everybody. */
  team: column.nullable(),
});
export type PostgresSource = Immutable<z.infer<typeof postgresSource>>;

/** A branch of a Git repository: files, the last commits, and who made them. */
export const gitSource = z.strictObject({
  kind: z.literal('git'),
  url: address(['https', 'http']),
  /** Null for none, or for a token that needs none. */
  user: text.min(1).nullable(),
  /** Null for the branch that the repository begins with. */
  branch: text.min(1).nullable(),
  /** How many of the last ones. */
  commits: z.int().min(1).max(CONNECTOR_GIT_COMMITS_MAX),
  /** Larger files are brought without their content. */
  fileBytesMax: z.int().min(0).max(CONNECTOR_FILE_BYTES_MAX),
  /** The name of the team that alone may see what comes; null opens it to everybody. */
  team: text.min(1).nullable(),
});
export type GitSource = Immutable<z.infer<typeof gitSource>>;

/** A mailbox: its folders, threads and messages with their attachments. */
export const imapSource = z.strictObject({
  kind: z.literal('imap'),
  url: address(['imaps', 'imap']),
  /** Whether a connection by `imap` has to become encrypted before anything is said. */
  tls: z.boolean(),
  user: text.min(1),
  /** The user of the workspace whose mailbox it is; null for the one with the same name. */
  owner: text.min(1).nullable(),
  /** That folder and those below it; null for all of them. */
  folder: text.min(1).nullable(),
  /** Larger messages are brought without their text and attachments. */
  fileBytesMax: z.int().min(0).max(CONNECTOR_FILE_BYTES_MAX),
});
export type ImapSource = Immutable<z.infer<typeof imapSource>>;

/** A directory: people, groups, and who is in which. */
export const ldapSource = z.strictObject({
  kind: z.literal('ldap'),
  url: address(['ldaps', 'ldap']),
  /** Whether a connection by `ldap` has to become encrypted before anything is said. */
  tls: z.boolean(),
  /** The distinguished name to sign in with; null for nobody's. */
  user: text.min(1).nullable(),
  /** The distinguished name below which everything is. */
  base: text.min(1),
  /** The filter that finds people. */
  people: text.min(1),
  /** The filter that finds groups; null brings none. */
  groups: text.min(1).nullable(),
  /** The attribute of people with the name of a user here; null makes nobody a member. */
  login: text.min(1).nullable(),
  /** The name of the team that alone may see what comes; null opens it to everybody. */
  team: text.min(1).nullable(),
});
export type LdapSource = Immutable<z.infer<typeof ldapSource>>;

const readerNames = z.array(text.min(1)).max(CONNECTOR_RULE_NAMES_MAX);

/**
 * Who may see what is at a path, and below it. Of the rules that lead to a file or folder the
 * longest counts; without one nobody may see it.
 */
const pathRules = z
  .array(
    z.strictObject({
      /** Below the address, such as `/staff`; `/` for all of it. */
      path: z.string().regex(/^\//, 'must begin with "/"').max(CONNECTOR_URL_CHARACTERS_MAX),
      teams: readerNames,
      users: readerNames,
    }),
  )
  .max(CONNECTOR_RULES_MAX);

/** A folder on the disk of the server, with the folders below it. */
export const folderSource = z.strictObject({
  kind: z.literal('folder'),
  url: address(['file']),
  /** Larger files are brought without their content. */
  fileBytesMax: z.int().min(0).max(CONNECTOR_FILE_BYTES_MAX),
  /** Who may see what comes. */
  access: z.enum(['everybody', 'rules']),
  rules: pathRules,
});
export type FolderSource = Immutable<z.infer<typeof folderSource>>;

/** A folder with files on a server of WebDAV, and the folders below it. */
export const webdavSource = z.strictObject({
  kind: z.literal('webdav'),
  url: address(['https', 'http']),
  /** Null for none, or for a token that needs none. */
  user: text.min(1).nullable(),
  /** Larger files are brought without their content. */
  fileBytesMax: z.int().min(0).max(CONNECTOR_FILE_BYTES_MAX),
  /** Who may see what comes: as the access lists of the server say, or these rules. */
  access: z.enum(['everybody', 'server', 'rules']),
  rules: pathRules,
});
export type WebdavSource = Immutable<z.infer<typeof webdavSource>>;

export const connectorSource = z.discriminatedUnion('kind', [
  csvSource,
  folderSource,
  postgresSource,
  gitSource,
  imapSource,
  ldapSource,
  webdavSource,
]);
export type ConnectorSource = Immutable<z.infer<typeof connectorSource>>;
export type ConnectorKindName = ConnectorSource['kind'];

const schedule = z.strictObject({
  /** Five fields, or six with seconds first; `@daily` and the like. */
  cron: z.string().min(1).max(TASK_CRON_CHARACTERS_MAX),
  /** An IANA name, such as Europe/Berlin. */
  timeZone: z.string().min(1).max(TASK_TIME_ZONE_CHARACTERS_MAX),
});

const name = z.string().trim().min(1).max(CONNECTOR_NAME_CHARACTERS_MAX);
/** Left out: the one that is kept; null: none. */
const secret = z.string().min(1).max(CONNECTOR_SECRET_CHARACTERS_MAX).nullable().optional();

/** The body of `POST` and `PUT`; a `PUT` replaces all of it but a secret that is left out. */
export const connectorChange = z.strictObject({
  name,
  source: connectorSource,
  secret,
  schedule: schedule.nullable().optional(),
  enabled: z.boolean().optional(),
});
export type ConnectorChange = Immutable<z.infer<typeof connectorChange>>;

const connectorId = z.string().min(1).max(100);
export const connectorInPath = z.object({ id: connectorId });

/** The name of a file that defines a connector, which is the connector's id from then on. */
export const definedConnectorId = z
  .string()
  .max(CONNECTOR_NAME_CHARACTERS_MAX)
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]*$/, 'must have letters, digits, "-" and "_" only');

/** A connector among definitions (docs/definitions.md), which hold no secret. */
export const connectorDefinition = connectorChange.omit({ secret: true }).extend({
  /** Whether it does not run without a secret; left out: as it is there, or not. */
  needsSecret: z.boolean().optional(),
});
export type ConnectorDefinition = Immutable<z.infer<typeof connectorDefinition>>;

const runState = z.enum(['running', 'succeeded', 'failed', 'cancelled', 'interrupted', 'skipped']);

/**
 * What a run has done about rows of the source. Counts are of rows, but for `splits` and the last
 * two.
 */
export const connectorReport = z.strictObject({
  rows: z.int(),
  unchanged: z.int(),
  added: z.int(),
  changed: z.int(),
  removed: z.int(),
  /** Left out by versions that did not count them. */
  splits: z.int().optional(),
  rejected: z.int(),
  operations: z.int(),
  commits: z.int(),
  /** The first of them. */
  changes: z.array(
    z.strictObject({ row: z.string(), change: z.enum(['added', 'changed', 'removed']) }),
  ),
  /** The first rows that the workspace refused. */
  rejectedRows: z.array(z.strictObject({ row: z.string(), code: z.string(), message: z.string() })),
});
export type ConnectorReportDocument = Immutable<z.infer<typeof connectorReport>>;

export const connectorRun = z.strictObject({
  /** Id of its job. */
  id: z.string(),
  state: runState,
  trigger: z.enum(['schedule', 'missed', 'manual']),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime().nullable(),
  report: connectorReport.nullable(),
  error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
  log: z.array(z.strictObject({ at: z.iso.datetime(), text: z.string() })),
});
export type ConnectorRunDocument = Immutable<z.infer<typeof connectorRun>>;

/** A connector as it is listed: never its secret. Times are ISO 8601 UTC. */
export const connector = z.strictObject({
  id: connectorId,
  name,
  source: connectorSource,
  hasSecret: z.boolean(),
  /** Without the secret it does not run: it came with definitions, which hold none. */
  needsSecret: z.boolean(),
  schedule: schedule.nullable(),
  /** Such as "At 06:00"; null without a schedule. */
  scheduleInWords: z.string().nullable(),
  nextRunAt: z.iso.datetime().nullable(),
  enabled: z.boolean(),
  /** Job of the run that is under way. */
  jobId: z.string().nullable(),
  lastRun: connectorRun.nullable(),
  createdAt: z.iso.datetime(),
  createdBy: z.string().nullable(),
  updatedAt: z.iso.datetime(),
});
export type Connector = Immutable<z.infer<typeof connector>>;

export const connectorRunRequest = z.strictObject({
  /** Forgets how far the last run came, and reads and compares everything. */
  full: z.boolean().optional(),
});

export const connectorAccessQuery = z.object({
  skip: queryInteger(0, Number.MAX_SAFE_INTEGER, 0),
  take: queryInteger(1, CONNECTOR_ACCESS_TAKE_MAX, LIST_TAKE_DEFAULT),
});

/** Who may see one thing of the source, there and here. Administrators see all that is here. */
export const connectorAccess = z.strictObject({
  row: z.string(),
  /** `uid` is null when the node is not here any more. */
  node: z.strictObject({ type: z.string(), key: z.string(), uid: z.string().nullable() }),
  /** Whether source or settings say who may see it there. */
  isTold: z.boolean(),
  /** Why fewer see it here than there, as the last run found. */
  narrowedBy: z.string().nullable(),
  principals: z.array(
    z.strictObject({
      kind: z.enum(['everybody', 'team', 'user']),
      name: z.string(),
      /** Null for who is nobody here. */
      uid: z.string().nullable(),
      sees: z.enum(['source', 'here', 'both']),
    }),
  ),
  /** How many there are, of which the first are in `principals`. */
  principalsTotal: z.int(),
});
export type ConnectorAccess = Immutable<z.infer<typeof connectorAccess>>;

/** What is tried: settings, and the secret of the connector `id` where none is given. */
export const connectorTest = z.strictObject({
  source: connectorSource,
  secret,
  id: connectorId.optional(),
});
export type ConnectorTest = Immutable<z.infer<typeof connectorTest>>;

export const connectorTestResult = z.strictObject({
  isReachable: z.boolean(),
  /** What was found, or what went wrong. */
  message: z.string(),
});
export type ConnectorTestResult = Immutable<z.infer<typeof connectorTestResult>>;

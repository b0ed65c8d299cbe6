import * as connector from '../../shapes/connector.ts';
import { texts } from './property-texts.ts';

const SOURCE = {
  kind: 'What kind of source it is.',
  url: 'Where the source is; its origin, or `postgres://` or `imaps://` with host and port, is in the setting `fetchAllowList` of the workspace. A `file:` URL is below a folder of `MSK_CONNECTOR_ROOTS`.',
  type: 'Node type of the nodes that rows become.',
  key: 'Column with the key of each node.',
  tls: 'Whether the connection is encrypted, and the certificate checked; `imaps` and `ldaps` always are.',
  user: 'Name with which the server signs in; null for a token that needs none.',
  query: 'What is read: one `SELECT`, in a transaction that may not write.',
  changed:
    'Column that says when a row has changed last: only newer rows are read, and all of them once a day. Null reads all of them each time.',
  team: 'Of a table, the column with the name of the team that may see a row; of a repository or directory, the name of the team that may see it. Null opens all to everybody who is signed in.',
  branch: 'Branch that is brought; null for the one that the repository begins with.',
  commits: 'How many of the last commits are brought.',
  fileBytesMax:
    'Files with more bytes are brought without their content; messages without their text and attachments.',
  owner:
    'User of the workspace whose mailbox it is, by name or address; null for the one with the same name as `user`.',
  base: 'Distinguished name below which people and groups are looked for.',
  people: 'Filter that finds people, such as `(objectClass=inetOrgPerson)`.',
  groups: 'Filter that finds groups, such as `(objectClass=groupOfNames)`; null brings none.',
  login:
    'Attribute of people that has the name of a user of the workspace, such as `uid`: members of a group become members of the team with the same name. Null makes nobody a member.',
  folder: 'Folder that is brought, with those below it; null for all.',
  access:
    'Who may see what comes from a folder or a server of WebDAV: `everybody` who is signed in; those whom the access lists of the `server` (RFC 3744) let read it; or those whom the `rules` name.',
  rules: [
    'Who may see which folder, with what is below it. Of the rules that lead to a file the longest counts; what none leads to is left out.',
    {
      path: 'Folder below the address, such as `/staff`; `/` for all of it.',
      teams: 'Names of teams of the workspace.',
      users: 'Names or addresses of users of the workspace.',
    },
  ],
} as const;
const SCHEDULE = {
  cron: 'Five fields, or six with seconds first; or `@daily` and the like.',
  timeZone: 'IANA name of the time zone, such as `Europe/Berlin`.',
} as const;
const RUN = {
  id: 'Id of its job.',
  state:
    'How it ended, or `running`. `skipped`: it was due while the one before was under way, or the server down; `interrupted`: the server ended first.',
  trigger: 'Why it ran: by its `schedule`, as one that was `missed`, or as somebody asked for it.',
  report: [
    'What it did; null until it has ended well.',
    {
      rows: 'Rows that the source gave.',
      unchanged: 'Rows that are as they were.',
      added: 'Rows that are new.',
      changed: 'Rows that have changed.',
      removed: 'Rows that are gone.',
      splits:
        'Nodes of rows that are gone which had been merged with others: each was split off and deleted, and the others stayed.',
      rejected: 'Rows that the workspace refused.',
      operations: 'Operations that were sent.',
      commits: 'Commits in which they were sent.',
      changes: [
        'The first rows that have changed.',
        { row: 'Which row it is, as the source knows it.', change: 'What became of it.' },
      ],
      rejectedRows: [
        'The first rows that the workspace refused.',
        {
          row: 'Which row it is, as the source knows it.',
          code: 'Code of the error catalogue with which it was refused.',
          message: 'Why it was refused.',
        },
      ],
    },
  ],
  error: 'Why it failed; null unless it did.',
  log: 'The last lines that it logged, the oldest first.',
} as const;
const SETTINGS = {
  name: 'What people call it.',
  source: ['Where the data comes from, and what becomes of it.', SOURCE],
  schedule: ['When it runs by itself; null, or left out, if it does not.', SCHEDULE],
  enabled: 'Whether it runs by its schedule, as it does by default.',
} as const;
const SECRET =
  'Password or token with which the server signs in at the source. It is never shown; left out it stays, and null removes it.';

/** Sources that the server brings into the workspace. */
export const connectorTexts = [
  ...texts(connector.connectorChange, { ...SETTINGS, secret: SECRET }),
  ...texts(connector.connectorInPath, { id: 'Id of the connector.' }),
  ...texts(connector.connectorRun, RUN),
  ...texts(connector.connector, {
    ...SETTINGS,
    id: 'Id of the connector.',
    hasSecret: 'Whether a password or token is kept for it.',
    needsSecret:
      'Whether it does not run without one: true with `hasSecret` false after an import of definitions, which hold no secrets.',
    scheduleInWords: 'The schedule in words, such as "At 06:00"; null without one.',
    nextRunAt: 'When it runs next (ISO 8601, UTC); null if it does not run by itself.',
    jobId: 'Id of the job of the run that is under way; null if none is.',
    lastRun: ['The newest run; null before the first.', RUN],
    createdBy: 'UID of the administrator who made it; null for a token that acts as nobody.',
  }),
  ...texts(connector.connectorAccessQuery, {
    skip: 'How many of the first are left out.',
    take: 'How many are compared at most.',
  }),
  ...texts(connector.connectorAccess, {
    row: 'Which row it is, as the source knows it.',
    node: [
      'What the row became.',
      {
        type: 'Type of the node.',
        key: 'Key of the node.',
        uid: 'UID; null when the node is not here any more.',
      },
    ],
    isTold: 'Whether the source, or the settings of the connector, say who may see it there.',
    narrowedBy: 'Why fewer may see it here than there, as the last run found; null for no reason.',
    principals: [
      'Who may see it: first at the source alone, then here alone, then both.',
      {
        kind: 'A team (or group), a user, or `everybody`.',
        name: 'As the source names them; of those who see it here alone, as the workspace does.',
        uid: 'UID here; null for everybody, and for whom the workspace does not know by that name.',
        sees: 'Whether they see it at the `source` alone, `here` alone, or `both`.',
      },
    ],
    principalsTotal: 'How many they are, of which the first are told.',
  }),
  ...texts(connector.connectorRunRequest, {
    full: 'Whether everything is read and compared, wherever the last run has come to.',
  }),
  ...texts(connector.connectorTest, {
    source: SETTINGS.source,
    secret: SECRET,
    id: 'Id of a connector whose secret is used where none is given.',
  }),
  ...texts(connector.connectorTestResult, {
    isReachable: 'Whether the source could be read.',
    message: 'What was found there, or what went wrong.',
  }),
];

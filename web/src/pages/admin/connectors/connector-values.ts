import type {
  Connector,
  ConnectorChange,
  ConnectorKindName,
  ConnectorSource,
  WebdavSource,
} from '@trellis/contract/shapes/connector.ts';
import { rulesIn, rulesText } from './access-rules.ts';

export const KIND_NAMES: Readonly<Record<ConnectorKindName, string>> = {
  csv: 'Table (CSV)',
  folder: 'Folder of the server',
  postgres: 'PostgreSQL',
  git: 'Git repository',
  imap: 'Mailbox (IMAP)',
  ldap: 'Directory (LDAP)',
  webdav: 'Files (WebDAV)',
};

/** What the form holds: the fields of all kinds, of which each kind has its own. */
export interface ConnectorValues {
  name: string;
  kind: ConnectorKindName;
  source: {
    url: string;
    type: string;
    key: string;
    user: string;
    tls: boolean;
    query: string;
    changed: string;
    team: string;
    branch: string;
    commits: number;
    fileBytesMax: number;
    owner: string;
    folder: string;
    base: string;
    people: string;
    groups: string;
    login: string;
    access: WebdavSource['access'];
    /** One a line. */
    rules: string;
  };
  /** Empty leaves the one that is kept. */
  secret: string;
  schedule: { cron: string; timeZone: string };
}

const NOTHING: ConnectorValues['source'] = {
  url: '',
  type: '',
  key: '',
  user: '',
  tls: true,
  query: '',
  changed: '',
  team: '',
  branch: '',
  commits: 1_000,
  fileBytesMax: 1_000_000,
  owner: '',
  folder: '',
  base: '',
  people: '(objectClass=inetOrgPerson)',
  groups: '(objectClass=groupOfNames)',
  login: '',
  access: 'everybody',
  rules: '',
};

export function valuesOf(connector: Connector | null): ConnectorValues {
  const { kind = 'csv', ...source } = connector?.source ?? {};
  const given = Object.entries(source).filter(([, value]) => value !== null);
  const schedule = connector?.schedule;
  return {
    name: connector?.name ?? '',
    kind,
    source: {
      ...NOTHING,
      ...Object.fromEntries(given),
      ...('rules' in source ? { rules: rulesText(source.rules) } : {}),
    },
    secret: '',
    schedule: {
      cron: schedule?.cron ?? '',
      timeZone: schedule?.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    },
  };
}

export function sourceOf({ kind, source }: ConnectorValues): ConnectorSource {
  const { type, key, tls, query, commits, fileBytesMax } = source;
  const url = addressOf(source.url);
  const user = source.user || null;
  const team = source.team || null;
  switch (kind) {
    case 'csv':
      return { kind, url, type, key };
    case 'folder': {
      const access = source.access === 'rules' ? 'rules' : 'everybody';
      const rules = access === 'rules' ? rulesIn(source.rules) : [];
      return { kind, url, fileBytesMax, access, rules };
    }
    case 'postgres': {
      const changed = source.changed || null;
      return { kind, url, tls, user: source.user, query, type, key, changed, team };
    }
    case 'git': {
      const branch = source.branch || null;
      return { kind, url, user, branch, commits, fileBytesMax, team };
    }
    case 'ldap': {
      const { base, people } = source;
      const [groups, login] = [source.groups || null, source.login || null];
      return { kind, url, tls, user, base, people, groups, login, team };
    }
    case 'webdav': {
      const { access } = source;
      const rules = access === 'rules' ? rulesIn(source.rules) : [];
      return { kind, url, user, fileBytesMax, access, rules };
    }
    case 'imap': {
      const [owner, folder] = [source.owner || null, source.folder || null];
      return { kind, url, tls, user: source.user, owner, folder, fileBytesMax };
    }
  }
}

/** A path of the server is an address, too. */
export function addressOf(text: string): string {
  if (!text.startsWith('/')) return text;
  const url = new URL('file:///');
  url.pathname = text.replaceAll('%', '%25');
  return url.href;
}

/** A secret that is left empty is not sent, so the server keeps its own. */
export function secretOf({ secret }: ConnectorValues): { secret?: string } {
  return secret === '' ? {} : { secret };
}

export function changeOf(values: ConnectorValues): ConnectorChange {
  const { name, schedule } = values;
  const { cron, timeZone } = schedule;
  const isScheduled = cron.trim() !== '';
  return {
    name,
    source: sourceOf(values),
    ...secretOf(values),
    schedule: isScheduled ? { cron, timeZone } : null,
  };
}

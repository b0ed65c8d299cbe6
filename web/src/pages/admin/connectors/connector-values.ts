import type {
  Connector,
  ConnectorChange,
  ConnectorKindName,
  ConnectorSource,
} from '@trellis/contract/shapes/connector.ts';

export const KIND_NAMES: Readonly<Record<ConnectorKindName, string>> = {
  csv: 'Table on the web (CSV)',
  postgres: 'PostgreSQL',
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
};

export function valuesOf(connector: Connector | null): ConnectorValues {
  const { kind = 'csv', ...source } = connector?.source ?? {};
  const given = Object.entries(source).filter(([, value]) => value !== null);
  const schedule = connector?.schedule;
  return {
    name: connector?.name ?? '',
    kind,
    source: { ...NOTHING, ...Object.fromEntries(given) },
    secret: '',
    schedule: {
      cron: schedule?.cron ?? '',
      timeZone: schedule?.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    },
  };
}

export function sourceOf({ kind, source }: ConnectorValues): ConnectorSource {
  const { url, type, key, user, tls, query, changed, team } = source;
  switch (kind) {
    case 'csv':
      return { kind, url, type, key };
    case 'postgres':
      return {
        kind,
        url,
        tls,
        user,
        query,
        type,
        key,
        changed: changed || null,
        team: team || null,
      };
  }
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

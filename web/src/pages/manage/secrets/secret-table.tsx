import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { SecretRecord } from '@trellis/contract/shapes/secret.ts';
import { useNames } from '../../../api/names.ts';
import { SETTING_FIELDS } from '../../../app/setting-fields.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { Time } from '../../../ui/time.tsx';
import { settingsQuery } from '../../admin/settings.ts';

interface SecretTableProps {
  readonly secrets: readonly SecretRecord[];
  readonly isAllowed: boolean;
  readonly onSet: (secret: SecretRecord) => void;
  readonly onDelete: (secret: SecretRecord) => void;
}

export function SecretTable({ secrets, isAllowed, onSet, onDelete }: SecretTableProps) {
  const allowed = useQuery(settingsQuery).data?.fetchAllowList;
  const nameOf = useNames(secrets.flatMap(({ changedBy }) => changedBy ?? []));
  return (
    <DataTable
      label="Secrets"
      rows={secrets}
      keyOf={({ name }) => name}
      columns={[
        ...columnsOf(nameOf, allowed),
        {
          title: 'Actions',
          isTitleHidden: true,
          cell: (secret) => (
            <div className="flex flex-col items-end gap-2 sm:flex-row sm:justify-end">
              <Button
                size="small"
                disabled={!isAllowed}
                aria-label={`Set ${secret.name} again`}
                onClick={() => onSet(secret)}
              >
                Set
              </Button>
              <Button
                size="small"
                disabled={!isAllowed}
                aria-label={`Delete ${secret.name}`}
                onClick={() => onDelete(secret)}
              >
                Delete
              </Button>
            </div>
          ),
        },
      ]}
    />
  );
}

function columnsOf(
  nameOf: (uid: string) => string,
  allowed: readonly string[] | undefined,
): readonly Column<SecretRecord>[] {
  return [
    {
      title: 'Name',
      cell: ({ name, isReadable }) => (
        <div className="min-w-20 sm:min-w-40">
          <code className="font-mono text-[13px] font-medium break-all">{name}</code>
          {!isReadable && (
            <div>
              <Badge tone="danger">Lost</Badge>
              <div className="text-[13px] text-muted">set its value again</div>
            </div>
          )}
        </div>
      ),
    },
    { title: 'Sent to', cell: ({ hosts }) => <Hosts hosts={hosts} allowed={allowed} /> },
    {
      title: 'Endpoints',
      isMinor: true,
      cell: ({ endpoints }) =>
        endpoints === null ? <span className="text-muted">All</span> : <Texts texts={endpoints} />,
    },
    {
      title: 'Last used',
      isMinor: true,
      cell: ({ lastUsedAt }) =>
        lastUsedAt === null ? <span className="text-muted">Never</span> : <Time iso={lastUsedAt} />,
    },
    {
      title: 'Set',
      isMinor: true,
      cell: ({ changedAt, changedBy }) => (
        <>
          <Time iso={changedAt} />
          {changedBy !== null && (
            <div className="text-[13px] text-muted">
              by <bdi>{nameOf(changedBy)}</bdi>
            </div>
          )}
        </>
      ),
    },
  ];
}

interface HostsProps {
  readonly hosts: readonly string[];
  /** Origins that endpoints may ask at all; undefined while it is not known. */
  readonly allowed: readonly string[] | undefined;
}

function Hosts({ hosts, allowed }: HostsProps) {
  const isAsked = (host: string) =>
    allowed?.some((origin) => [`https://${host}`, `http://${host}`].includes(origin)) ?? true;
  const closed = hosts.filter((host) => !isAsked(host));
  return (
    <>
      <Texts texts={hosts} />
      {closed.length > 0 && (
        <div className="text-[13px] text-warning">
          Endpoints may not ask <span className="break-all">{closed.join(', ')}</span> yet: see{' '}
          <Link to="/admin/settings" className="underline">
            {SETTING_FIELDS.fetchAllowList.label}
          </Link>
        </div>
      )}
    </>
  );
}

function Texts({ texts }: { readonly texts: readonly string[] }) {
  return (
    <ul className="min-w-24 sm:min-w-36">
      {texts.map((text) => (
        <li key={text}>
          <code className="font-mono text-[13px] break-all">{text}</code>
        </li>
      ))}
    </ul>
  );
}

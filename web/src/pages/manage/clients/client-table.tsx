import type { OAuthClientRecord } from '@trellis/contract/shapes/oauth.ts';
import { useNames } from '../../../api/names.ts';
import { Button } from '../../../ui/button.tsx';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { Time } from '../../../ui/time.tsx';

interface ClientTableProps {
  readonly clients: readonly OAuthClientRecord[];
  readonly isAllowed: boolean;
  readonly onShow: (client: OAuthClientRecord) => void;
  readonly onWithdraw: (client: OAuthClientRecord) => void;
}

export function ClientTable({ clients, isAllowed, onShow, onWithdraw }: ClientTableProps) {
  const nameOf = useNames(clients.flatMap(({ createdBy }) => createdBy ?? []));
  return (
    <DataTable
      label="MCP clients"
      rows={clients}
      keyOf={({ id }) => id}
      columns={[
        ...columnsOf(nameOf, onShow),
        {
          title: 'Actions',
          isTitleHidden: true,
          cell: (one) => (
            <div className="text-right">
              <Button
                size="small"
                disabled={!isAllowed}
                aria-label={`Withdraw ${one.name}`}
                onClick={() => onWithdraw(one)}
              >
                Withdraw
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
  onShow: ClientTableProps['onShow'],
): readonly Column<OAuthClientRecord>[] {
  return [
    {
      title: 'Client',
      cell: ({ name }) => <bdi className="font-medium wrap-anywhere">{name}</bdi>,
    },
    {
      title: 'Leads back to',
      cell: ({ redirectUris }) =>
        redirectUris.map((uri) => (
          <div key={uri} className="font-mono text-[13px] break-all">
            {uri}
          </div>
        )),
    },
    {
      title: 'Users',
      cell: (one) =>
        one.grants === 0 ? (
          <span className="text-muted">None</span>
        ) : (
          <Button
            size="small"
            aria-label={`${one.grants}, users of ${one.name}`}
            onClick={() => onShow(one)}
          >
            {String(one.grants)}
          </Button>
        ),
    },
    {
      title: 'Last used',
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'Never' : <Time iso={lastUsedAt} />),
    },
    {
      title: 'Registered',
      isMinor: true,
      cell: ({ registeredAt, createdBy }) => (
        <>
          {registeredAt === null ? 'Unknown' : <Time iso={registeredAt} />}
          <div className="text-[13px] text-muted">
            by {createdBy === null ? 'itself' : <bdi>{nameOf(createdBy)}</bdi>}
          </div>
        </>
      ),
    },
  ];
}

import { useQuery } from '@tanstack/react-query';
import type { TokenRecord } from '@trellis/contract/shapes/token.ts';
import { useNames } from '../../../api/names.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { Time } from '../../../ui/time.tsx';
import { deactivatedQuery } from './token-queries.ts';
import { variantOf } from './token-variants.ts';

interface TokenTableProps {
  readonly tokens: readonly TokenRecord[];
  readonly isAllowed: boolean;
  readonly onRevoke: (token: TokenRecord) => void;
}

type NameOf = (uid: string) => string;

export function TokenTable({ tokens, isAllowed, onRevoke }: TokenTableProps) {
  const nameOf = useNames(
    tokens.flatMap(({ createdBy, actingUser }) => [createdBy, actingUser ?? []].flat()),
  );
  const acting = [...new Set(tokens.flatMap(({ actingUser }) => actingUser ?? []))].toSorted();
  const deactivated = useQuery(deactivatedQuery(acting)).data;
  return (
    <DataTable
      label="Tokens"
      rows={tokens}
      keyOf={(token) => token.id}
      columns={[
        ...columnsOf(nameOf, deactivated),
        {
          title: 'Actions',
          isTitleHidden: true,
          cell: (token) =>
            !token.revoked && (
              <div className="text-right">
                <Button
                  size="small"
                  disabled={!isAllowed}
                  aria-label={`Revoke ${token.name}`}
                  onClick={() => onRevoke(token)}
                >
                  Revoke
                </Button>
              </div>
            ),
        },
      ]}
    />
  );
}

function columnsOf(
  nameOf: NameOf,
  deactivated: ReadonlySet<string> | undefined,
): readonly Column<TokenRecord>[] {
  return [
    {
      title: 'Name',
      cell: (token) => (
        <div className="min-w-36">
          <bdi className="font-medium break-words">{token.name}</bdi>
          <div className="text-[13px] text-muted">{variantOf(token.kind).label}</div>
        </div>
      ),
    },
    { title: 'State', cell: (token) => <TokenState token={token} deactivated={deactivated} /> },
    { title: 'Allows', cell: (token) => <TokenRights token={token} nameOf={nameOf} /> },
    {
      title: 'Last used',
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? <Never /> : <Time iso={lastUsedAt} />),
    },
    {
      title: 'Created',
      isMinor: true,
      cell: ({ createdAt, createdBy }) => (
        <>
          <Time iso={createdAt} />
          <div className="text-[13px] text-muted">
            by <bdi>{nameOf(createdBy)}</bdi>
          </div>
        </>
      ),
    },
    {
      title: 'Expires',
      isMinor: true,
      cell: ({ expiresAt }) => (expiresAt === null ? <Never /> : <Time iso={expiresAt} isExact />),
    },
  ];
}

function Never() {
  return <span className="text-muted">Never</span>;
}

interface TokenStateProps {
  readonly token: TokenRecord;
  readonly deactivated: ReadonlySet<string> | undefined;
}

function TokenState({ token, deactivated }: TokenStateProps) {
  if (token.revoked) return <Badge tone="danger">Revoked</Badge>;
  if (token.expiresAt !== null && Date.parse(token.expiresAt) <= Date.now()) {
    return <Badge tone="warning">Expired</Badge>;
  }
  const { actingUser } = token;
  if (actingUser !== null && deactivated?.has(actingUser) === true) {
    return (
      <>
        <Badge tone="warning">Refused</Badge>
        <div className="text-[13px] text-muted">its user is deactivated</div>
      </>
    );
  }
  return <Badge tone="good">Valid</Badge>;
}

function TokenRights({ token, nameOf }: { readonly token: TokenRecord; readonly nameOf: NameOf }) {
  const { scopes, path, actingUser } = token;
  return (
    <div className="flex min-w-32 flex-col items-start gap-1">
      {scopes.length > 0 && (
        <span className="flex flex-wrap gap-1">
          {scopes.map((scope) => (
            <Badge key={scope}>{scope}</Badge>
          ))}
        </span>
      )}
      {path === '' && <span>Every endpoint</span>}
      {path !== null && path !== '' && (
        <code className="font-mono text-[13px] break-all">{path}</code>
      )}
      {actingUser !== null && (
        <span>
          as <bdi>{nameOf(actingUser)}</bdi>
        </span>
      )}
    </div>
  );
}

import { eachItem } from '@trellis/client/pages.ts';
import { LIST_TAKE_MAX } from '@trellis/contract/limits.ts';
import type { CreatedToken, TokenRecord } from '@trellis/contract/shapes/token.ts';
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { useNames } from '../../api/names.ts';
import { useChangePermission } from '../../app/permissions.ts';
import { Button } from '../../ui/button.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { ShownOnce } from '../../ui/shown-once.tsx';
import { Time } from '../../ui/time.tsx';
import { RevokeTokenDialog } from '../manage/tokens/revoke-token-dialog.tsx';
import { EndpointTokenForm } from './endpoint-token-form.tsx';

interface EndpointTokensDialogProps {
  readonly name: string;
  readonly onClose: () => void;
}

/** The tokens that may call an endpoint; one more can be made, and its value is shown once. */
export function EndpointTokensDialog({ name, onClose }: EndpointTokensDialogProps) {
  const [step, setStep] = useState<'list' | 'form' | CreatedToken>('list');
  const isMade = typeof step === 'object';
  return (
    <Dialog
      isOpen
      keepsOpen
      size="wide"
      onClose={onClose}
      title={isMade ? `Token “${step.name}”` : `Tokens for ${name}`}
      description={isMade ? undefined : 'Other systems call endpoints with a token.'}
    >
      {step === 'list' && <TokenList name={name} onAdd={() => setStep('form')} />}
      {step === 'form' && (
        <EndpointTokenForm name={name} onMade={setStep} onBack={() => setStep('list')} />
      )}
      {isMade && (
        <>
          <ShownOnce
            label="Value of the token"
            value={step.token}
            warning="Copy the value now: it cannot be read again. Anyone who has it can do what the token allows."
          />
          <DialogActions>
            <Button kind="primary" onClick={() => setStep('list')}>
              Done
            </Button>
          </DialogActions>
        </>
      )}
    </Dialog>
  );
}

interface TokenListProps {
  readonly name: string;
  readonly onAdd: () => void;
}

function TokenList({ name, onAdd }: TokenListProps) {
  const permission = useChangePermission();
  const [revoked, setRevoked] = useState<TokenRecord>();
  const tokens = useQuery({
    queryKey: ['tokens', 'of-endpoint', name],
    queryFn: ({ signal }) => tokensFor(name, signal),
  });
  const nameOf = useNames((tokens.data ?? []).flatMap(({ actingUser }) => actingUser ?? []));
  return (
    <>
      <QueryView query={tokens} errorTitle="The tokens could not be read">
        {(found) =>
          found.length === 0 ? (
            <p className="py-4 text-muted">No token may call this endpoint yet.</p>
          ) : (
            <DataTable
              label={`Tokens for ${name}`}
              rows={found}
              keyOf={({ id }) => id}
              columns={columnsOf(nameOf, permission.isAllowed, setRevoked)}
            />
          )
        }
      </QueryView>
      <DialogActions>
        <Button
          kind="primary"
          icon={Plus}
          disabled={!permission.isAllowed}
          title={permission.reason}
          onClick={onAdd}
        >
          Add token
        </Button>
      </DialogActions>
      {revoked !== undefined && (
        <RevokeTokenDialog token={revoked} onClose={() => setRevoked(undefined)} />
      )}
    </>
  );
}

function columnsOf(
  nameOf: (uid: string) => string,
  isAllowed: boolean,
  onRevoke: (token: TokenRecord) => void,
): readonly Column<TokenRecord>[] {
  return [
    { title: 'Purpose', cell: (token) => <bdi className="font-medium">{token.name}</bdi> },
    {
      title: 'Path',
      cell: ({ path }) =>
        path === null || path === '' ? (
          'Every endpoint'
        ) : (
          <code className="font-mono text-[13px] break-all">{path}</code>
        ),
    },
    {
      title: 'Acts as',
      cell: ({ actingUser }) => (actingUser === null ? 'Nobody' : <bdi>{nameOf(actingUser)}</bdi>),
    },
    {
      title: 'Last used',
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'Never' : <Time iso={lastUsedAt} />),
    },
    {
      title: 'Actions',
      isTitleHidden: true,
      cell: (token) => (
        <Button
          size="small"
          disabled={!isAllowed}
          aria-label={`Revoke ${token.name}`}
          onClick={() => onRevoke(token)}
        >
          Revoke
        </Button>
      ),
    },
  ];
}

async function tokensFor(name: string, signal: AbortSignal): Promise<readonly TokenRecord[]> {
  const found: TokenRecord[] = [];
  const pages = eachItem(
    (page) => client.tokens.list({ ...page, kind: 'endpoint' }, { signal }),
    LIST_TAKE_MAX,
  );
  for await (const token of pages) {
    if (!token.revoked && reaches(token.path ?? '', name)) found.push(token);
  }
  return found;
}

/** The path of a token: empty, a prefix that ends in "/", or a name (open-shapes, section 3). */
function reaches(path: string, name: string): boolean {
  return path === '' || path === name || (path.endsWith('/') && name.startsWith(path));
}

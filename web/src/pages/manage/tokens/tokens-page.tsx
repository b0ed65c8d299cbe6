import { useQuery } from '@tanstack/react-query';
import { atSkip } from '../../../app/search-params.ts';
import { getRouteApi } from '@tanstack/react-router';
import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import type { TokenRecord } from '@trellis/contract/shapes/token.ts';
import { useChangePermission } from '../../../app/permissions.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { SelectField } from '../../../ui/field.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { Pager } from '../../../ui/pager.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { PermissionNotice } from '../permission-notice.tsx';
import { CreateTokenDialog } from './create-token-dialog.tsx';
import { RevokeTokenDialog } from './revoke-token-dialog.tsx';
import { tokensQuery } from './token-queries.ts';
import { TokenTable } from './token-table.tsx';
import { isTokenKind, TOKEN_VARIANTS, type TokenVariant } from './token-variants.ts';

const route = getRouteApi('/workspace/manage/access/tokens');

/** Every token there is, of whatever kind (specification, section 2.1). */
export function TokensPage() {
  const [created, setCreated] = useState<TokenVariant>();
  const [revoked, setRevoked] = useState<TokenRecord>();
  const permission = useChangePermission();
  return (
    <>
      <PageHeader
        title="Tokens"
        description="Keys for programs. The value of a token is shown once, when it is created."
        actions={<AddTokenMenu isAllowed={permission.isAllowed} onChoose={setCreated} />}
      />
      <PermissionNotice permission={permission} />
      <TokenList isAllowed={permission.isAllowed} onRevoke={setRevoked} />
      {created !== undefined && (
        <CreateTokenDialog variant={created} onClose={() => setCreated(undefined)} />
      )}
      {revoked !== undefined && (
        <RevokeTokenDialog token={revoked} onClose={() => setRevoked(undefined)} />
      )}
    </>
  );
}

interface AddTokenMenuProps {
  readonly isAllowed: boolean;
  readonly onChoose: (variant: TokenVariant) => void;
}

function AddTokenMenu({ isAllowed, onChoose }: AddTokenMenuProps) {
  return (
    <Menu
      trigger={
        <Button kind="primary" icon={Plus} disabled={!isAllowed}>
          Add token
        </Button>
      }
      items={TOKEN_VARIANTS.map((variant) => ({
        label: variant.label,
        hint: variant.hint,
        onSelect: () => onChoose(variant),
      }))}
    />
  );
}

interface TokenListProps {
  readonly isAllowed: boolean;
  readonly onRevoke: (token: TokenRecord) => void;
}

function TokenList({ isAllowed, onRevoke }: TokenListProps) {
  const { kind, show, skip = 0 } = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery(
    tokensQuery({
      kind: isTokenKind(kind) ? kind : undefined,
      revoked: show === 'valid' ? false : show === 'revoked' ? true : undefined,
      skip,
    }),
  );
  const isFiltered = kind !== undefined || show !== undefined;
  return (
    <>
      <TokenFilters />
      <QueryView query={query} errorTitle="The tokens could not be read">
        {(list) => (
          <Card isFlush>
            {list.items.length === 0 && skip === 0 ? (
              <EmptyState icon={KeyRound} title={isFiltered ? 'No such tokens' : 'No tokens yet'}>
                {isFiltered
                  ? 'Choose other kinds to see more.'
                  : 'Add one for a connector, a script or another system that works with this workspace.'}
              </EmptyState>
            ) : (
              <TokenTable tokens={list.items} isAllowed={isAllowed} onRevoke={onRevoke} />
            )}
            <Pager
              {...list}
              shown={list.items.length}
              onSkip={(next) => void navigate({ search: atSkip(next) })}
            />
          </Card>
        )}
      </QueryView>
    </>
  );
}

function TokenFilters() {
  const { kind = '', show = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const change = (name: 'kind' | 'show', value: string) =>
    void navigate({
      search: (last) => ({ ...last, [name]: value || undefined, skip: undefined }),
    });
  return (
    <div className="mb-4 flex flex-wrap gap-3">
      <SelectField
        label="Kind"
        className="w-60"
        value={kind}
        onChange={(event) => change('kind', event.target.value)}
        options={[
          { value: '', label: 'All kinds' },
          ...TOKEN_VARIANTS.map(({ kind: value, label }) => ({ value, label })),
        ]}
      />
      <SelectField
        label="Show"
        className="w-60"
        value={show}
        onChange={(event) => change('show', event.target.value)}
        options={[
          { value: '', label: 'All tokens' },
          { value: 'valid', label: 'Not revoked' },
          { value: 'revoked', label: 'Revoked' },
        ]}
      />
    </div>
  );
}

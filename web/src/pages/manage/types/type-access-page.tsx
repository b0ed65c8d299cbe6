import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Table2 } from 'lucide-react';
import { useState } from 'react';
import { useChangePermission } from '../../../app/permissions.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { formatCount } from '../../../ui/format.ts';
import { ListSearch } from '../../../ui/list-search.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { PermissionNotice } from '../permission-notice.tsx';
import { accessTypesQuery } from './access-types.ts';
import { FieldRulesPanel } from './field-rules-panel.tsx';
import { ReviewChangesDialog } from './review-changes-dialog.tsx';
import { useRulesDraft } from './type-rules-draft.ts';
import { TypeTable } from './type-table.tsx';

const route = getRouteApi('/workspace/manage/access/types');

/** Who sees the nodes of each type, and who reads which field (open-shapes, section 4). */
export function TypeAccessPage() {
  const [isReviewing, setIsReviewing] = useState(false);
  const permission = useChangePermission();
  const draft = useRulesDraft();
  const { changes, query } = draft;
  return (
    <>
      <PageHeader
        title="Types and fields"
        description="By type: who sees nodes that are restricted to nobody, who writes nodes, and who reads which field. Administrators see, write and read everything."
        actions={
          changes.length > 0 && (
            <>
              <Button onClick={draft.discard}>Discard</Button>
              <Button kind="primary" onClick={() => setIsReviewing(true)}>
                Review {formatCount(changes.length)} {changes.length === 1 ? 'change' : 'changes'}
              </Button>
            </>
          )
        }
      />
      <PermissionNotice permission={permission} />
      {query.isError && query.data === undefined ? (
        <ErrorPanel
          title="The rules could not be read"
          error={query.error}
          onRetry={query.refetch}
        />
      ) : (
        <TypeList draft={draft} isAllowed={permission.isAllowed && query.data !== undefined} />
      )}
      {isReviewing && <ReviewChangesDialog draft={draft} onClose={() => setIsReviewing(false)} />}
    </>
  );
}

interface TypeListProps {
  readonly draft: ReturnType<typeof useRulesDraft>;
  readonly isAllowed: boolean;
}

function TypeList({ draft, isAllowed }: TypeListProps) {
  const { query = '', type } = route.useSearch();
  const navigate = route.useNavigate();
  const types = useQuery(accessTypesQuery);
  const open = types.data?.find((one) => one.type === type);
  return (
    <>
      <ListSearch
        label="Find a type or a field"
        className="mb-4 max-w-sm"
        query={query}
        onSearch={(text) =>
          void navigate({ search: (last) => ({ ...last, query: text || undefined }) })
        }
      />
      <QueryView query={types} errorTitle="The types could not be read">
        {(all) => {
          const words = query.toLowerCase();
          const found = all.filter(({ title, fields }) =>
            [title, ...fields.map(({ name }) => name)].some((name) =>
              name.toLowerCase().includes(words),
            ),
          );
          return (
            <Card isFlush>
              {found.length === 0 ? (
                <EmptyState icon={Table2} title="No type or field matches" />
              ) : (
                <TypeTable
                  types={found}
                  rules={draft.rules}
                  isAllowed={isAllowed}
                  onEdit={draft.edit}
                  onOpen={(next) => void navigate({ search: (last) => ({ ...last, type: next }) })}
                />
              )}
            </Card>
          );
        }}
      </QueryView>
      {open !== undefined && (
        <FieldRulesPanel
          type={open}
          rules={draft.rules}
          isAllowed={isAllowed}
          onEdit={draft.edit}
          onClose={() => void navigate({ search: (last) => ({ ...last, type: undefined }) })}
        />
      )}
    </>
  );
}

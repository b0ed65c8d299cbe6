import type { UseQueryResult } from '@tanstack/react-query';
import { type LucideIcon, Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import { useChangePermission } from '../../app/permissions.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { PermissionNotice } from './permission-notice.tsx';

interface ListPageProps<Item> {
  readonly title: string;
  readonly description: string;
  /** What the button says that adds one; without it, the viewer adds none. */
  readonly addLabel: string | undefined;
  readonly onAdd: () => void;
  readonly query: UseQueryResult<readonly Item[]>;
  readonly errorTitle: string;
  readonly empty: { readonly icon: LucideIcon; readonly title: string; readonly text: string };
  /** Shows the items, of which there are some. */
  readonly list: (items: readonly Item[]) => ReactNode;
  /** Dialogs and panels. */
  readonly children: ReactNode;
}

/** All things of a kind, which are few, and a button that adds one. */
export function ListPage<Item>(props: ListPageProps<Item>) {
  const { title, description, addLabel, onAdd, query, errorTitle, empty, list, children } = props;
  const permission = useChangePermission();
  return (
    <>
      <PageHeader
        title={title}
        description={description}
        actions={
          addLabel !== undefined && (
            <Button
              kind="primary"
              icon={Plus}
              disabled={!permission.isAllowed}
              title={permission.reason}
              onClick={onAdd}
            >
              {addLabel}
            </Button>
          )
        }
      />
      {addLabel !== undefined && <PermissionNotice permission={permission} />}
      <QueryView query={query} errorTitle={errorTitle}>
        {(items) => (
          <Card isFlush>
            {items.length === 0 ? (
              <EmptyState icon={empty.icon} title={empty.title}>
                {empty.text}
              </EmptyState>
            ) : (
              list(items)
            )}
          </Card>
        )}
      </QueryView>
      {children}
    </>
  );
}

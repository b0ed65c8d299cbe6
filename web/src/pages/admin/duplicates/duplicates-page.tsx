import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { SearchCheck } from 'lucide-react';
import { useState } from 'react';
import type { Duplicate } from '@trellis/contract/shapes/duplicate.ts';
import { tellsOfJobs, useLiveQueries } from '../../../app/live-queries.ts';
import { client } from '../../../api/client.ts';
import { useChangePermission } from '../../../app/permissions.ts';
import { Button } from '../../../ui/button.tsx';
import { SelectField } from '../../../ui/field.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { toastDone, toastError } from '../../../ui/toast.ts';
import { typesQuery } from '../../data/data-queries.ts';
import { PermissionNotice } from '../../manage/permission-notice.tsx';
import { CompareDialog } from './compare-dialog.tsx';
import { DUPLICATES_KEY } from './duplicate-queries.ts';
import { MergeList } from './merge-list.tsx';
import { PairList } from './pair-list.tsx';

const tellsOfSearches = tellsOfJobs();

const route = getRouteApi('/workspace/admin/duplicates');
const TABS = ['open', 'dismissed', 'merges'] as const;

/** Nodes that may be one thing (docs/duplicates.md). */
export function DuplicatesPage() {
  const { type, tab } = route.useSearch();
  const navigate = route.useNavigate();
  const [opened, setOpened] = useState<Duplicate>();
  const permission = useChangePermission();
  const shown = TABS.find((one) => one === tab) ?? 'open';
  useLiveQueries(DUPLICATES_KEY, tellsOfSearches);
  return (
    <>
      <PageHeader
        title="Duplicates"
        description="Nodes that may be one thing, and those that were merged."
        actions={<Finder type={type} isAllowed={permission.isAllowed} />}
      />
      <PermissionNotice permission={permission} />
      <Tabs
        label="Duplicates"
        value={shown}
        onChange={(next) =>
          void navigate({ search: { type, tab: next === 'open' ? undefined : next } })
        }
        items={[
          {
            value: 'open',
            label: 'To decide',
            content: <PairList state="open" type={type} onOpen={setOpened} />,
          },
          {
            value: 'dismissed',
            label: 'Two things',
            content: <PairList state="dismissed" type={type} onOpen={setOpened} />,
          },
          { value: 'merges', label: 'Merged', content: <MergeList /> },
        ]}
      />
      {opened !== undefined && <CompareDialog pair={opened} onClose={() => setOpened(undefined)} />}
    </>
  );
}

interface FinderProps {
  readonly type: string | undefined;
  readonly isAllowed: boolean;
}

/** The type that is looked at, and a search of it. */
function Finder({ type, isAllowed }: FinderProps) {
  const navigate = route.useNavigate();
  const { data } = useQuery(typesQuery);
  const find = useMutation({
    mutationFn: (of: string) => client.duplicates.find({ type: of }),
    onSuccess: () => toastDone('The search has begun', 'Pairs are listed when it has ended.'),
    onError: (error) => toastError('The search was not begun', error),
  });
  const types = (data?.types ?? []).filter((one) => !one.type.startsWith('_'));
  return (
    <div className="flex flex-wrap items-end gap-2">
      <SelectField
        label="Type"
        isLabelHidden
        value={type ?? ''}
        options={[
          { value: '', label: 'All types' },
          ...types.map((one) => ({ value: one.type, label: one.type })),
        ]}
        onChange={({ target }) =>
          void navigate({ search: (last) => ({ ...last, type: target.value || undefined }) })
        }
      />
      <Button
        kind="primary"
        icon={SearchCheck}
        disabled={!isAllowed || type === undefined}
        isBusy={find.isPending}
        onClick={() => type !== undefined && find.mutate(type)}
      >
        Find duplicates
      </Button>
      <Link to="/admin/jobs" className="py-2 text-accent underline">
        Jobs
      </Link>
    </div>
  );
}

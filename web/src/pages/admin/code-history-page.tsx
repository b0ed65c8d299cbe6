import { useQuery } from '@tanstack/react-query';
import type { CodeChange } from '@trellis/contract/shapes/code-history.ts';
import { getRouteApi } from '@tanstack/react-router';
import { FileClock } from 'lucide-react';
import { client } from '../../api/client.ts';
import { atSkip } from '../../app/search-params.ts';
import { DateRange, type Days, momentsOf } from '../../ui/date-range.tsx';
import { Badge, type BadgeTone } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { DiffText } from '../../ui/diff-text.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { Pager } from '../../ui/pager.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Time } from '../../ui/time.tsx';
import { CodeItemLink } from './code-item-link.tsx';
import { RestoreVersion } from './restore-version.tsx';

const route = getRouteApi('/workspace/admin/history');
const TAKE = 25;
const TONES: Readonly<Record<CodeChange['action'], BadgeTone>> = {
  created: 'good',
  changed: 'neutral',
  restored: 'info',
  deleted: 'danger',
};

const KINDS = { migration: 'Migration', module: 'Module' } as const;

/** Who changed which code when, newest first. */
export function CodeHistoryPage() {
  const { from, to, skip = 0 } = route.useSearch();
  const navigate = route.useNavigate();
  const history = useQuery({
    queryKey: ['code-history', from, to, skip],
    queryFn: ({ signal }) =>
      client.codeHistory.list({ ...momentsOf({ from, to }), skip, take: TAKE }, { signal }),
    placeholderData: (last) => last,
  });
  const choose = (change: Days) =>
    void navigate({
      search: (last) => ({ ...last, ...change, skip: undefined }),
      replace: true,
    });
  return (
    <>
      <PageHeader title="Code history" description="Every change of code and its settings." />
      <div className="mb-4 flex flex-wrap gap-4">
        <DateRange from={from} to={to} onChange={choose} />
      </div>
      <Card isFlush>
        <QueryView query={history} errorTitle="The history could not be read">
          {({ items, total }) => (
            <>
              <Timeline items={items} />
              <Pager
                skip={skip}
                take={TAKE}
                shown={items.length}
                total={total}
                onSkip={(next) => void navigate({ search: atSkip(next) })}
              />
            </>
          )}
        </QueryView>
      </Card>
    </>
  );
}

function Timeline({ items }: { readonly items: readonly CodeChange[] }) {
  if (items.length === 0) {
    return (
      <EmptyState icon={FileClock} title="No changes">
        Changes of endpoints, modules and migrations appear here, with who made them.
      </EmptyState>
    );
  }
  return (
    <ol className="divide-y">
      {items.map((change) => (
        <li key={`${change.uid} ${change.version}`} className="px-4 py-3">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <Badge tone={TONES[change.action]}>{change.action}</Badge>
            <CodeItemLink item={change} className="font-medium break-all" />
            {change.kind !== 'endpoint' && <Badge>{KINDS[change.kind]}</Badge>}
            <span className="text-muted">version {change.version}</span>
            <span className="ml-auto text-[13px] text-muted">
              {change.by === null ? 'by the server or a token' : `by ${change.by.name}`},{' '}
              <Time iso={change.at} />
            </span>
            {change.kind !== 'endpoint' && <RestoreVersion {...change} kind={change.kind} />}
          </div>
          {change.diff !== '' && (
            <details className="mt-2">
              <summary className="text-[13px] text-accent">What changed</summary>
              <DiffText label={`Changes of ${change.name}`} diff={change.diff} />
            </details>
          )}
        </li>
      ))}
    </ol>
  );
}

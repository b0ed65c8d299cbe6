import { TrellisError } from '@trellis/client/trellis-error.ts';
import { atSkip } from '../../app/search-params.ts';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { FileClock } from 'lucide-react';
import { Suspense, useState } from 'react';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { Pager } from '../../ui/pager.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { HISTORY_TAKE, historyQuery } from './endpoint-queries.ts';
import { VersionDiff } from './version-diff.tsx';
import { VersionTable } from './version-table.tsx';

const VersionComparison = lazyPart(
  async () => (await import('./version-comparison.tsx')).VersionComparison,
);
const RestoreDialog = lazyPart(async () => (await import('./restore-dialog.tsx')).RestoreDialog);

const route = getRouteApi('/workspace/endpoints/edit/$');

interface HistoryTabProps {
  readonly name: string;
  /** The newest version; undefined of an endpoint that is deleted. */
  readonly current: number | undefined;
}

/** Every version, what differs between two of them, and a way back. */
export function HistoryTab({ name, current }: HistoryTabProps) {
  const { skip = 0, from, to } = route.useSearch();
  const navigate = route.useNavigate();
  const [restored, setRestored] = useState<number>();
  const history = useQuery(historyQuery(name, skip));
  if (isUnknown(history.error)) return null;
  return (
    <QueryView query={history} errorTitle="The history could not be read">
      {({ items, total }) => {
        const newest = items[0]?.version ?? 1;
        const after = versionIn(to) ?? newest;
        const before = versionIn(from) ?? Math.max(after - 1, 0);
        const choose = (range: { from?: string; to?: string }) =>
          void navigate({ search: (last) => ({ ...last, ...range }), replace: true });
        return (
          <div className="flex flex-col gap-4">
            <Card isFlush title="Versions" description="Newest first. Choose two to compare.">
              {items.length === 0 ? (
                <EmptyState icon={FileClock} title="No versions" />
              ) : (
                <VersionTable
                  {...{ name, current, before, after }}
                  changes={items}
                  onBefore={(version) => choose({ from: String(version), to: String(after) })}
                  onAfter={(version) => choose({ from: String(before), to: String(version) })}
                  onRestore={setRestored}
                />
              )}
              <Pager
                {...{ skip, total }}
                take={HISTORY_TAKE}
                shown={items.length}
                onSkip={(next) => void navigate({ search: atSkip(next) })}
              />
            </Card>
            {items.length > 0 && <VersionDiff {...{ name, before, after }} />}
            {current !== undefined && current > 1 && (
              <Suspense fallback={<Skeleton />}>
                <VersionComparison name={name} current={current} />
              </Suspense>
            )}
            {restored !== undefined && (
              <Suspense>
                <RestoreDialog
                  name={name}
                  version={restored}
                  seen={skip === 0 ? newest : current}
                  onClose={() => setRestored(undefined)}
                />
              </Suspense>
            )}
          </div>
        );
      }}
    </QueryView>
  );
}

/** There never was an endpoint of this name. */
function isUnknown(error: unknown): boolean {
  return error instanceof TrellisError && error.code === 'code_version_not_found';
}

function versionIn(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

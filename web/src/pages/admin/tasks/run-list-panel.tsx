import type { UseQueryResult } from '@tanstack/react-query';
import type { TaskRun } from '@trellis/contract/shapes/task.ts';
import type { ReactNode } from 'react';
import { Badge } from '../../../ui/badge.tsx';
import { SidePanel } from '../../../ui/dialog.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Time } from '../../../ui/time.tsx';
import { RUN_TONES } from './task-table.tsx';

type ShownRun = Pick<TaskRun, 'id' | 'state' | 'startedAt'> & {
  readonly error: { readonly message: string } | null;
};

interface RunListPanelProps<Run> {
  readonly title: string;
  readonly runs: UseQueryResult<{ readonly items: readonly Run[] }>;
  readonly errorTitle: string;
  readonly onClose: () => void;
  /** Stands beside the state and the time of a run. */
  readonly why?: (run: Run) => ReactNode;
  /** Stands below them. */
  readonly children: (run: Run) => ReactNode;
}

/** The last runs of something that runs by itself, newest first. */
export function RunListPanel<Run extends ShownRun>({
  title,
  runs,
  errorTitle,
  onClose,
  why,
  children,
}: RunListPanelProps<Run>) {
  return (
    <SidePanel isOpen onClose={onClose} title={title}>
      <QueryView query={runs} errorTitle={errorTitle}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="text-muted">It has not run yet.</p>
          ) : (
            <ol className="flex flex-col gap-4">
              {items.map((run) => (
                <li key={run.id}>
                  <p className="flex flex-wrap items-center gap-2">
                    <Badge tone={RUN_TONES[run.state]}>{run.state}</Badge>{' '}
                    <Time iso={run.startedAt} isExact />
                    {why?.(run)}
                  </p>
                  {run.error !== null && <p className="mt-1 wrap-anywhere">{run.error.message}</p>}
                  {children(run)}
                </li>
              ))}
            </ol>
          )
        }
      </QueryView>
    </SidePanel>
  );
}

import { useQuery } from '@tanstack/react-query';
import type { TaskRun } from '@trellis/contract/shapes/task.ts';
import { Badge } from '../../../ui/badge.tsx';
import { SidePanel } from '../../../ui/dialog.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Time } from '../../../ui/time.tsx';
import { taskRunsQuery } from './task-queries.ts';
import { RUN_TONES } from './task-table.tsx';

interface TaskLogProps {
  readonly name: string;
  readonly onClose: () => void;
}

const TRIGGERS = {
  schedule: 'by its schedule',
  missed: 'after a missed time',
  manual: 'by hand',
} as const;

/** The last runs of a task. */
export function TaskLog({ name, onClose }: TaskLogProps) {
  const runs = useQuery(taskRunsQuery(name));
  return (
    <SidePanel isOpen onClose={onClose} title={`Log of “${name}”`}>
      <QueryView query={runs} errorTitle="The log could not be read">
        {({ items }) =>
          items.length === 0 ? (
            <p className="text-muted">It has not run yet.</p>
          ) : (
            <ol className="flex flex-col gap-4">
              {items.map((run) => (
                <RunEntry key={run.id} run={run} />
              ))}
            </ol>
          )
        }
      </QueryView>
    </SidePanel>
  );
}

function RunEntry({ run }: { readonly run: TaskRun }) {
  const { state, startedAt, trigger, times, error, result, log } = run;
  return (
    <li>
      <p className="flex flex-wrap items-center gap-2">
        <Badge tone={RUN_TONES[state]}>{state}</Badge> <Time iso={startedAt} isExact />
        <span className="text-[13px] text-muted">
          {TRIGGERS[trigger]}
          {times > 1 && `, ${times} times`}
        </span>
      </p>
      {error !== null && <p className="mt-1 wrap-anywhere">{error.message}</p>}
      {result !== null && <p className="mt-1 font-mono text-xs wrap-anywhere">{result}</p>}
      {log.length > 0 && (
        <pre
          aria-label="What it logged"
          tabIndex={0}
          className="mt-1 max-h-60 overflow-auto rounded-control border bg-sunken p-2 font-mono text-xs"
        >
          {log.map(({ text }) => text).join('\n')}
        </pre>
      )}
    </li>
  );
}

import { useQuery } from '@tanstack/react-query';
import { RunListPanel } from './run-list-panel.tsx';
import { taskRunsQuery } from './task-queries.ts';

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
    <RunListPanel
      title={`Log of “${name}”`}
      runs={runs}
      errorTitle="The log could not be read"
      onClose={onClose}
      why={({ trigger, times }) => (
        <span className="text-[13px] text-muted">
          {TRIGGERS[trigger]}
          {times > 1 && `, ${times} times`}
        </span>
      )}
    >
      {({ result, log }) => (
        <>
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
        </>
      )}
    </RunListPanel>
  );
}

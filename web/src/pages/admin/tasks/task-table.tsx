import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Task, TaskRun } from '@trellis/contract/shapes/task.ts';
import { Pencil, ScrollText, Trash2 } from 'lucide-react';
import { client } from '../../../api/client.ts';
import { useChangePermission } from '../../../app/permissions.ts';
import { Badge, type BadgeTone } from '../../../ui/badge.tsx';
import { Button, IconButton } from '../../../ui/button.tsx';
import { DataTable } from '../../../ui/data-table.tsx';
import { Switch } from '../../../ui/switch.tsx';
import { Time } from '../../../ui/time.tsx';
import { toastDone, toastError } from '../../../ui/toast.ts';
import { TASKS_KEY } from './task-queries.ts';

export const RUN_TONES: Readonly<Record<TaskRun['state'], BadgeTone>> = {
  running: 'info',
  succeeded: 'good',
  failed: 'danger',
  cancelled: 'neutral',
  interrupted: 'warning',
  skipped: 'warning',
};

interface TaskTableProps {
  readonly items: readonly Task[];
  readonly onOpen: (what: 'change' | 'delete' | 'log', task: Task) => void;
}

export function TaskTable({ items, onOpen }: TaskTableProps) {
  return (
    <DataTable
      label="Tasks"
      rows={items}
      keyOf={({ UID }) => UID}
      columns={[
        {
          title: 'Task',
          cell: ({ name, endpoint, builtIn, isInCode }) => (
            <div className="min-w-40">
              <span className="font-medium">{name}</span>
              <p className="font-mono text-[13px] text-muted wrap-anywhere">
                {endpoint ?? `built in: ${builtIn ?? ''}`}
              </p>
              {isInCode && <p className="text-[13px] text-muted">from its code</p>}
            </div>
          ),
        },
        {
          title: 'When',
          cell: ({ description, timeZone }) => (
            <>
              {description} <span className="text-[13px] text-muted">{timeZone}</span>
            </>
          ),
        },
        {
          title: 'Next',
          isMinor: true,
          cell: ({ nextRunAt }) => (nextRunAt === null ? '' : <Time iso={nextRunAt} />),
        },
        { title: 'Last', cell: ({ lastRun }) => <LastRun run={lastRun} /> },
        { title: 'Enabled', isTitleHidden: true, cell: (task) => <EnabledSwitch task={task} /> },
        {
          title: 'Actions',
          isTitleHidden: true,
          cell: (task) => <TaskActions task={task} onOpen={onOpen} />,
        },
      ]}
    />
  );
}

function LastRun({ run }: { readonly run: TaskRun | null }) {
  if (run === null) return <span className="text-muted">Never ran</span>;
  return (
    <span className="flex flex-wrap items-center gap-2">
      <Badge tone={RUN_TONES[run.state]}>{run.state}</Badge> <Time iso={run.startedAt} />
    </span>
  );
}

function EnabledSwitch({ task }: { readonly task: Task }) {
  const permission = useChangePermission();
  const queries = useQueryClient();
  const change = useMutation({
    mutationFn: (isOn: boolean) =>
      isOn ? client.tasks.enable(task.name) : client.tasks.disable(task.name),
    onSuccess: () => queries.invalidateQueries({ queryKey: TASKS_KEY }),
    onError: (error) => toastError('The task was not changed', error),
  });
  return (
    <Switch
      label="Enabled"
      name={`Enabled: ${task.name}`}
      isOn={task.enabled}
      isDisabled={!permission.isAllowed || change.isPending}
      onChange={(isOn) => change.mutate(isOn)}
    />
  );
}

interface TaskActionsProps {
  readonly task: Task;
  readonly onOpen: TaskTableProps['onOpen'];
}

function TaskActions({ task, onOpen }: TaskActionsProps) {
  const { isAllowed } = useChangePermission();
  const queries = useQueryClient();
  const run = useMutation({
    mutationFn: () => client.tasks.run(task.name),
    onSuccess: async () => {
      toastDone('The task runs', task.name);
      await queries.invalidateQueries({ queryKey: TASKS_KEY });
    },
    onError: (error) => toastError('The task does not run', error),
  });
  const { name } = task;
  return (
    <span className="flex justify-end gap-1">
      <Button
        size="small"
        disabled={!isAllowed || task.jobId !== null}
        isBusy={run.isPending}
        onClick={() => run.mutate()}
      >
        Run now
      </Button>
      <IconButton
        icon={ScrollText}
        size="small"
        label={`Log of ${name}`}
        onClick={() => onOpen('log', task)}
      />
      <IconButton
        icon={Pencil}
        size="small"
        label={`Change ${name}`}
        disabled={!isAllowed || task.isInCode}
        onClick={() => onOpen('change', task)}
      />
      <IconButton
        icon={Trash2}
        size="small"
        label={`Delete ${name}`}
        disabled={!isAllowed || task.isInCode}
        onClick={() => onOpen('delete', task)}
      />
    </span>
  );
}

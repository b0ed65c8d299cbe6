import { useQuery } from '@tanstack/react-query';
import type { Task } from '@trellis/contract/shapes/task.ts';
import { CalendarClock, Plus } from 'lucide-react';
import { useState } from 'react';
import { tellsOfJobs, useLiveQueries } from '../../../app/live-queries.ts';
import { useChangePermission } from '../../../app/permissions.ts';
import { useRequestedAction } from '../../../app/requested-action.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { DeleteTaskDialog } from './delete-task-dialog.tsx';
import { TaskDialog } from './task-dialog.tsx';
import { TaskLog } from './task-log.tsx';
import { TASKS_KEY, taskListQuery } from './task-queries.ts';
import { TaskTable } from './task-table.tsx';
import { TriggersCard } from '../triggers/triggers-card.tsx';

const tellsOfRuns = tellsOfJobs('task');

/** What is open over the list. */
type Opened =
  | { readonly what: 'new' }
  | { readonly what: 'change' | 'delete' | 'log'; readonly task: Task };

export function TasksPage() {
  const permission = useChangePermission();
  const tasks = useQuery(taskListQuery);
  const [opened, setOpened] = useState<Opened>();
  useRequestedAction('new task', () => setOpened({ what: 'new' }));
  const close = () => setOpened(undefined);
  useLiveQueries(TASKS_KEY, tellsOfRuns);
  return (
    <>
      <PageHeader
        title="Tasks"
        description="What the server runs by itself: endpoints and built-in tasks."
        actions={
          <Button
            kind="primary"
            icon={Plus}
            disabled={!permission.isAllowed}
            title={permission.reason}
            onClick={() => setOpened({ what: 'new' })}
          >
            Add task
          </Button>
        }
      />
      <QueryView query={tasks} errorTitle="The tasks could not be read">
        {(items) => (
          <Card isFlush>
            {items.length === 0 ? (
              <EmptyState icon={CalendarClock} title="No tasks yet">
                Add one for work that repeats.
              </EmptyState>
            ) : (
              <TaskTable items={items} onOpen={(what, task) => setOpened({ what, task })} />
            )}
          </Card>
        )}
      </QueryView>
      <TriggersCard />
      {opened?.what === 'new' && <TaskDialog onClose={close} />}
      {opened?.what === 'change' && <TaskDialog existing={opened.task} onClose={close} />}
      {opened?.what === 'delete' && <DeleteTaskDialog name={opened.task.name} onClose={close} />}
      {opened?.what === 'log' && <TaskLog name={opened.task.name} onClose={close} />}
    </>
  );
}

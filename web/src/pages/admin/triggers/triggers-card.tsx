import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Trigger } from '@trellis/contract/shapes/trigger.ts';
import { useState } from 'react';
import { client } from '../../../api/client.ts';
import { tellsOfView, useLiveQueries } from '../../../app/live-queries.ts';
import { useChangePermission } from '../../../app/permissions.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { DataTable } from '../../../ui/data-table.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Switch } from '../../../ui/switch.tsx';
import { Time } from '../../../ui/time.tsx';
import { toastError } from '../../../ui/toast.ts';
import { SetAsidePanel } from './set-aside-panel.tsx';
import { TRIGGERS_KEY, triggersQuery } from './trigger-queries.ts';

const tellsOfTriggers = tellsOfView('triggers');

/** Endpoints that changes of nodes run; nothing while there are none. */
export function TriggersCard() {
  useLiveQueries(TRIGGERS_KEY, tellsOfTriggers);
  const triggers = useQuery(triggersQuery);
  const [opened, setOpened] = useState<string>();
  return (
    <QueryView query={triggers} errorTitle="The triggers could not be read">
      {({ items }) =>
        items.length > 0 && (
          <Card
            className="mt-6"
            isFlush
            title="Run by changes"
            description="Endpoints whose code says which changes of nodes run them."
          >
            <TriggerTable items={items} onOpen={setOpened} />
            {opened !== undefined && (
              <SetAsidePanel endpoint={opened} onClose={() => setOpened(undefined)} />
            )}
          </Card>
        )
      }
    </QueryView>
  );
}

interface TriggerTableProps {
  readonly items: readonly Trigger[];
  readonly onOpen: (endpoint: string) => void;
}

function TriggerTable({ items, onOpen }: TriggerTableProps) {
  return (
    <DataTable
      label="Endpoints that changes run"
      rows={items}
      keyOf={({ endpoint }) => endpoint}
      columns={[
        {
          title: 'Endpoint',
          cell: ({ endpoint, lines }) => (
            <div className="min-w-32 sm:min-w-40">
              <span className="font-mono text-[13px] font-medium wrap-anywhere">{endpoint}</span>
              <p className="text-[13px] text-muted">
                {lines.map(({ event, type }) => `${event} ${type}`).join(', ')}
              </p>
            </div>
          ),
        },
        { title: 'Last run', cell: (trigger) => <LastRun trigger={trigger} /> },
        { title: 'Waiting', isMinor: true, isNumber: true, cell: ({ waiting }) => waiting },
        {
          title: 'Failed',
          cell: ({ endpoint, setAside }) =>
            setAside === 0 ? (
              <span className="text-muted">None</span>
            ) : (
              <Button size="small" onClick={() => onOpen(endpoint)}>
                {setAside} failed<span className="sr-only"> of {endpoint}</span>
              </Button>
            ),
        },
        {
          title: 'Active',
          isTitleHidden: true,
          cell: (trigger) => <ActiveSwitch trigger={trigger} />,
        },
      ]}
    />
  );
}

function LastRun({ trigger }: { readonly trigger: Trigger }) {
  const { lastRunAt, lastError, reason, missed } = trigger;
  return (
    <div className="max-w-96 min-w-32">
      {lastRunAt === null ? (
        <span className="text-muted">Not since the start</span>
      ) : (
        <span className="flex flex-wrap items-center gap-2">
          <Badge tone={lastError === null ? 'good' : 'danger'}>
            {lastError === null ? 'succeeded' : 'failed'}
          </Badge>
          <Time iso={lastRunAt} />
        </span>
      )}
      {lastError !== null && <p className="text-[13px] wrap-anywhere">{lastError.message}</p>}
      {reason !== null && <p className="text-[13px] wrap-anywhere">Paused: {reason}</p>}
      {missed !== null && (
        <p className="text-[13px] text-muted">
          Missed the changes from {missed.from} to {missed.to}: the log was not kept for them.
        </p>
      )}
    </div>
  );
}

function ActiveSwitch({ trigger: { endpoint, isPaused } }: { readonly trigger: Trigger }) {
  const permission = useChangePermission();
  const queries = useQueryClient();
  const change = useMutation({
    mutationFn: (isOn: boolean) =>
      isOn ? client.triggers.resume({ endpoint }) : client.triggers.pause({ endpoint }),
    onSuccess: () => queries.invalidateQueries({ queryKey: TRIGGERS_KEY }),
    onError: (error) => toastError('The trigger was not changed', error),
  });
  return (
    <Switch
      label="Active"
      name={`Active: ${endpoint}`}
      isOn={!isPaused}
      isDisabled={!permission.isAllowed || change.isPending}
      onChange={(isOn) => change.mutate(isOn)}
    />
  );
}

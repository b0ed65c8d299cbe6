import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Ellipsis } from 'lucide-react';
import type { Connector } from '@trellis/contract/shapes/connector.ts';
import { client } from '../../../api/client.ts';
import { useChangePermission } from '../../../app/permissions.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { DataTable } from '../../../ui/data-table.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { Switch } from '../../../ui/switch.tsx';
import { Time } from '../../../ui/time.tsx';
import { toastDone, toastError } from '../../../ui/toast.ts';
import { RUN_TONES } from '../tasks/task-table.tsx';
import { CONNECTORS_KEY } from './connector-queries.ts';
import { reportText } from './connector-runs-panel.tsx';
import { KIND_NAMES } from './connector-values.ts';

interface ConnectorTableProps {
  readonly connectors: readonly Connector[];
  readonly onEdit: (connector: Connector) => void;
  readonly onDelete: (connector: Connector) => void;
  readonly onRuns: (connector: Connector) => void;
  readonly onAccess: (connector: Connector) => void;
}

export function ConnectorTable({ connectors, ...given }: ConnectorTableProps) {
  return (
    <DataTable
      label="Connectors"
      rows={connectors}
      keyOf={({ id }) => id}
      columns={[
        {
          title: 'Name',
          cell: ({ name, source, needsSecret, hasSecret }) => (
            <div className="min-w-32">
              <bdi className="font-medium wrap-anywhere">{name}</bdi>
              <p className="text-[13px] text-muted">{KIND_NAMES[source.kind]}</p>
              <p className="font-mono text-[13px] break-all text-muted">{source.url}</p>
              {needsSecret && !hasSecret && <Badge tone="warning">Secret missing</Badge>}
            </div>
          ),
        },
        {
          title: 'When',
          isMinor: true,
          cell: (connector) => <When connector={connector} />,
        },
        { title: 'Last run', cell: (connector) => <LastRun connector={connector} /> },
        {
          title: 'Active',
          isTitleHidden: true,
          cell: (connector) => <ActiveSwitch connector={connector} />,
        },
        {
          title: 'Actions',
          isTitleHidden: true,
          cell: (connector) => <Actions connector={connector} {...given} />,
        },
      ]}
    />
  );
}

function When({ connector }: { readonly connector: Connector }) {
  const { schedule, scheduleInWords, nextRunAt } = connector;
  if (schedule === null) return <span className="text-muted">By hand</span>;
  return (
    <div className="min-w-28">
      {scheduleInWords} <span className="text-[13px] text-muted">{schedule.timeZone}</span>
      {nextRunAt !== null && (
        <p className="text-[13px] text-muted">
          Next <Time iso={nextRunAt} />
        </p>
      )}
    </div>
  );
}

function LastRun({ connector: { lastRun, jobId } }: { readonly connector: Connector }) {
  if (jobId !== null) return <Badge tone="info">running</Badge>;
  if (lastRun === null) return <span className="text-muted">Never ran</span>;
  const { state, startedAt, report, error } = lastRun;
  return (
    <div className="max-w-80 min-w-28">
      <Badge tone={RUN_TONES[state]}>{state}</Badge>{' '}
      <span className="text-[13px] text-muted">
        <Time iso={startedAt} />
      </span>
      {report !== null && <p className="text-[13px]">{reportText(report)}</p>}
      {error !== null && <p className="text-[13px] wrap-anywhere">{error.message}</p>}
    </div>
  );
}

function ActiveSwitch({ connector }: { readonly connector: Connector }) {
  const permission = useChangePermission();
  const queries = useQueryClient();
  const { id, name, source, schedule } = connector;
  const change = useMutation({
    mutationFn: (enabled: boolean) =>
      client.connectors.update(id, { name, source, schedule, enabled }),
    onSuccess: () => queries.invalidateQueries({ queryKey: CONNECTORS_KEY }),
    onError: (error) => toastError('The connector was not changed', error),
  });
  if (schedule === null) return null;
  return (
    <Switch
      label="Active"
      name={`Active: ${name}`}
      isOn={connector.enabled}
      isDisabled={!permission.isAllowed || change.isPending}
      onChange={(isOn) => change.mutate(isOn)}
    />
  );
}

type ActionsProps = Omit<ConnectorTableProps, 'connectors'> & { readonly connector: Connector };

function Actions({ connector, onEdit, onDelete, onRuns, onAccess }: ActionsProps) {
  const { isAllowed } = useChangePermission();
  const { run, cancel, doWithoutSecret } = useDeeds(connector);
  const { name, jobId, needsSecret, hasSecret } = connector;
  const isDisabled = !isAllowed;
  const isRunning = jobId !== null;
  return (
    <Menu
      trigger={
        <Button
          size="small"
          kind="plain"
          icon={Ellipsis}
          isBusy={run.isPending || cancel.isPending || doWithoutSecret.isPending}
          aria-label={`Actions on ${name}`}
        />
      }
      items={[
        { label: 'Runs', onSelect: () => onRuns(connector) },
        {
          label: 'Access',
          hint: 'Who sees it at the source, and here.',
          isDisabled: isRunning,
          onSelect: () => onAccess(connector),
        },
        {
          label: 'Run now',
          isDisabled: isDisabled || isRunning,
          onSelect: () => run.mutate(false),
        },
        {
          label: 'Read everything',
          hint: 'Compares every row, wherever the last run has come to.',
          isDisabled: isDisabled || isRunning,
          onSelect: () => run.mutate(true),
        },
        {
          label: 'Cancel the run',
          isDisabled: isDisabled || !isRunning,
          onSelect: () => cancel.mutate(),
        },
        { label: 'Change', isDisabled, onSelect: () => onEdit(connector) },
        ...(needsSecret && !hasSecret
          ? [
              {
                label: 'Needs no secret',
                hint: 'It had one where its definition comes from. Here it runs without.',
                isDisabled,
                onSelect: () => doWithoutSecret.mutate(),
              },
            ]
          : []),
        {
          label: 'Delete',
          isDanger: true,
          isDisabled: isDisabled || isRunning,
          onSelect: () => onDelete(connector),
        },
      ]}
    />
  );
}

/** What is done to a connector without a dialog. */
function useDeeds({ id, name, source, schedule, enabled }: Connector) {
  const queries = useQueryClient();
  const again = () => queries.invalidateQueries({ queryKey: CONNECTORS_KEY });
  const run = useMutation({
    mutationFn: (full: boolean) => client.connectors.run(id, { full }),
    onSuccess: async () => {
      toastDone('The connector runs', name);
      await again();
    },
    onError: (error) => toastError('The connector does not run', error),
  });
  const cancel = useMutation({
    mutationFn: () => client.connectors.cancel(id),
    onSuccess: again,
    onError: (error) => toastError('The run was not cancelled', error),
  });
  const doWithoutSecret = useMutation({
    mutationFn: () =>
      client.connectors.update(id, { name, source, schedule, enabled, secret: null }),
    onSuccess: async () => {
      toastDone('The connector needs no secret', name);
      await again();
    },
    onError: (error) => toastError('The connector was not changed', error),
  });
  return { run, cancel, doWithoutSecret };
}

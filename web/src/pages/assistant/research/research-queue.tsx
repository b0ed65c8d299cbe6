import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ResearchRun, ResearchSettings } from '@trellis/contract/shapes/deep-research.ts';
import { Square, Telescope } from 'lucide-react';
import { useState } from 'react';
import { client } from '../../../api/client.ts';
import { Badge } from '../../../ui/badge.tsx';
import { IconButton } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Time } from '../../../ui/time.tsx';
import { toastDone, toastError } from '../../../ui/toast.ts';
import { researchSettingsQuery } from './research-queries.ts';

interface ResearchQueueProps {
  readonly settings: ResearchSettings;
  readonly isAllowed: boolean;
}

type Row = ResearchRun & { readonly isQueued: boolean };

/** What runs, and after it what waits, the next first. */
export function ResearchQueue({ settings, isAllowed }: ResearchQueueProps) {
  const [cancelled, setCancelled] = useState<ResearchRun>();
  const { running, queued } = settings;
  const rows: readonly Row[] = [
    ...running.map((run) => ({ ...run, isQueued: false })),
    ...queued.map((run) => ({ ...run, isQueued: true })),
  ];
  const columns: readonly Column<Row>[] = [
    { title: 'User', cell: ({ user }) => <bdi className="font-medium">{user.name}</bdi> },
    {
      title: 'State',
      cell: ({ isQueued }) => (isQueued ? <Badge>Waits</Badge> : <Badge tone="good">Runs</Badge>),
    },
    { title: 'Step', cell: ({ step }) => step },
    { title: 'Asked', isMinor: true, cell: ({ startedAt }) => <Time iso={startedAt} /> },
    {
      title: 'Actions',
      isTitleHidden: true,
      cell: (run) => (
        <IconButton
          icon={Square}
          size="small"
          label={`Cancel the research of ${run.user.name}`}
          disabled={!isAllowed}
          onClick={() => setCancelled(run)}
        />
      ),
    },
  ];
  return (
    <Card title="Under way and waiting" isFlush>
      {rows.length === 0 ? (
        <EmptyState icon={Telescope} title="No research is under way">
          A research begins in a conversation, with “Deep research” beside the message.
        </EmptyState>
      ) : (
        <DataTable label="Research" columns={columns} rows={rows} keyOf={({ jobId }) => jobId} />
      )}
      {cancelled !== undefined && (
        <CancelResearch run={cancelled} onClose={() => setCancelled(undefined)} />
      )}
    </Card>
  );
}

interface CancelResearchProps {
  readonly run: ResearchRun;
  readonly onClose: () => void;
}

function CancelResearch({ run, onClose }: CancelResearchProps) {
  const queries = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => client.deepResearch.cancel({ chatUID: run.chatUID }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: researchSettingsQuery.queryKey });
      toastDone('The research is being cancelled', run.user.name);
      onClose();
    },
    onError: (error) => toastError('The research was not cancelled', error),
  });
  return (
    <ConfirmDialog
      isOpen
      title={`Cancel the research of “${run.user.name}”?`}
      action="Cancel the research"
      isBusy={cancel.isPending}
      onClose={onClose}
      onConfirm={() => cancel.mutate()}
    >
      What it has found so far is lost. Its user can ask again.
    </ConfirmDialog>
  );
}

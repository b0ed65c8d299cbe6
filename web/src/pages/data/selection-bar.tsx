import type { ManyNodesChange, ManyNodesOutcome } from '@trellis/contract/shapes/node-write.ts';
import { useMutation } from '@tanstack/react-query';
import { Link2, Trash2, Users, X } from 'lucide-react';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { formatCount } from '../../ui/format.ts';
import { Notice } from '../../ui/notice.tsx';
import { toastDone, toastError } from '../../ui/toast.ts';
import type { DataEdge, DataType } from './data-queries.ts';
import { LinkDialog } from './link-dialog.tsx';
import { SHARE_RULE, ShareForm } from './share-dialog.tsx';
import { useChangedNodes } from './use-saved-record.ts';

interface SelectionBarProps {
  readonly type: DataType;
  readonly edges: readonly DataEdge[];
  readonly uids: readonly string[];
  /** What stays selected. */
  readonly onSelected: (uids: readonly string[]) => void;
}

type Asked = 'delete' | 'link' | 'share';
type Change = ManyNodesChange['change'];

const NOBODY = { teams: [], users: [] };
const REASONS_SHOWN = 3;

/** What can be done with all that is selected. What one may not change so stays selected. */
export function SelectionBar({ type, edges, uids, onSelected }: SelectionBarProps) {
  const [asked, setAsked] = useState<Asked>();
  const { change, failed } = useBulkChange(uids, onSelected);
  const close = () => setAsked(undefined);
  const named = uids.length === 1 ? 'one node' : `${formatCount(uids.length)} nodes`;
  if (uids.length === 0) return null;
  return (
    <>
      <div
        role="group"
        aria-label="Selection"
        className="flex flex-wrap items-center gap-2 rounded-card bg-accent-soft px-3 py-2"
      >
        <span className="mr-auto font-medium text-accent-strong">{named} selected</span>
        {type.mayWrite && <Actions hasEdges={edges.length > 0} onAsk={setAsked} />}
        <Button size="small" kind="quiet" icon={X} onClick={() => onSelected([])}>
          Clear
        </Button>
      </div>
      {failed !== undefined && <Failures outcome={failed} />}
      <ConfirmDialog
        isOpen={asked === 'delete'}
        onClose={close}
        title={`Delete ${named}?`}
        action="Delete"
        isBusy={change.isPending}
        onConfirm={() =>
          change.mutate(
            { delete: true },
            {
              onSuccess: close,
              onError: (error) => toastError('The nodes were not deleted', error),
            },
          )
        }
      >
        Their links, files and histories go with them. They cannot be had again.
      </ConfirmDialog>
      <LinkDialog
        isOpen={asked === 'link'}
        onClose={close}
        title={`Link ${named} to another`}
        edges={edges}
        onLink={(link) => change.mutateAsync({ add: link })}
      />
      <Dialog
        isOpen={asked === 'share'}
        onClose={close}
        title={`Share ${named}`}
        description={SHARE_RULE}
      >
        <ShareForm
          readers={NOBODY}
          onClose={close}
          onShare={(access) => change.mutateAsync({ access })}
        />
      </Dialog>
    </>
  );
}

interface ActionsProps {
  readonly hasEdges: boolean;
  readonly onAsk: (what: Asked) => void;
}

function Actions({ hasEdges, onAsk }: ActionsProps) {
  return (
    <>
      <Button size="small" icon={Users} onClick={() => onAsk('share')}>
        Share
      </Button>
      {hasEdges && (
        <Button size="small" icon={Link2} onClick={() => onAsk('link')}>
          Link
        </Button>
      )}
      <Button size="small" icon={Trash2} onClick={() => onAsk('delete')}>
        Delete
      </Button>
    </>
  );
}

function useBulkChange(uids: readonly string[], onSelected: SelectionBarProps['onSelected']) {
  const onChanged = useChangedNodes();
  const [failed, setFailed] = useState<ManyNodesOutcome>();
  const change = useMutation({
    mutationFn: (wanted: Change) => client.nodes.changeMany({ uids, change: wanted }),
    onSuccess: async (outcome) => {
      const { done, outcomes } = outcome;
      toastDone(done === 1 ? 'One node is changed' : `${formatCount(done)} nodes are changed`);
      setFailed(done < outcomes.length ? outcome : undefined);
      onSelected(outcomes.filter((one) => !one.done).map(({ uid }) => uid));
      await onChanged();
    },
  });
  return { change, failed };
}

/** Why some nodes are as they were. */
function Failures({ outcome: { outcomes } }: { readonly outcome: ManyNodesOutcome }) {
  const refused = outcomes.filter(({ done }) => !done);
  const reasons = [...new Set(refused.flatMap(({ error }) => error?.message ?? []))];
  return (
    <Notice tone="warning">
      {refused.length === 1 ? 'One node was' : `${formatCount(refused.length)} nodes were`} not
      changed, and stay selected. {reasons.slice(0, REASONS_SHOWN).join('. ')}
    </Notice>
  );
}

import type { ManyNodesChange } from '@trellis/contract/shapes/node-write.ts';
import { CircleStop, Link2, Trash2, Users, X } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { formatCount } from '../../ui/format.ts';
import { Notice } from '../../ui/notice.tsx';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { toastError } from '../../ui/toast.ts';
import type { DataEdge, DataType } from './data-queries.ts';
import { LinkDialog } from './link-dialog.tsx';
import { SHARE_RULE, ShareForm } from './share-dialog.tsx';
import { type BulkOutcome, NODES_AT_ONCE, useBulkChange } from './use-bulk-change.ts';

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
  const { change, outcome, tried, stop } = useBulkChange(uids, onSelected);
  const close = () => setAsked(undefined);
  // A change that takes several steps is not waited for in a dialog: it may be stopped.
  const start = (wanted: Change, failure: string): Promise<unknown> => {
    if (uids.length <= NODES_AT_ONCE) return change.mutateAsync(wanted);
    change.mutate(wanted, { onError: (error) => toastError(failure, error) });
    return Promise.resolve();
  };
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
        {change.isPending && uids.length > NODES_AT_ONCE ? (
          <Running tried={tried} total={uids.length} onStop={stop} />
        ) : (
          <>
            {type.mayWrite && <Actions hasEdges={edges.length > 0} onAsk={setAsked} />}
            <Button size="small" kind="quiet" icon={X} onClick={() => onSelected([])}>
              Clear
            </Button>
          </>
        )}
      </div>
      {outcome !== undefined && <Failures outcome={outcome} />}
      <ConfirmDialog
        isOpen={asked === 'delete'}
        onClose={close}
        title={`Delete ${named}?`}
        action="Delete"
        isBusy={change.isPending}
        onConfirm={() => {
          const failure = 'The nodes were not deleted';
          start({ delete: true }, failure).then(close, (error) => toastError(failure, error));
        }}
      >
        Their links, files and histories go with them. They cannot be had again.
      </ConfirmDialog>
      <LinkDialog
        isOpen={asked === 'link'}
        onClose={close}
        title={`Link ${named} to another`}
        edges={edges}
        onLink={(link) => start({ add: link }, 'The nodes were not linked')}
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
          onShare={(access) => start({ access }, 'The nodes were not shared')}
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

interface RunningProps {
  readonly tried: number;
  readonly total: number;
  readonly onStop: () => void;
}

function Running({ tried, total, onStop }: RunningProps) {
  const [isStopping, setIsStopping] = useState(false);
  return (
    <>
      <div className="w-48">
        <ProgressBar label="Changing" fraction={tried / total} />
      </div>
      <span className="tabular-nums">
        {formatCount(tried)} of {formatCount(total)}
      </span>
      <Button
        size="small"
        icon={CircleStop}
        disabled={isStopping}
        onClick={() => {
          setIsStopping(true);
          onStop();
        }}
      >
        Stop
      </Button>
    </>
  );
}

/** Why some nodes are as they were. */
function Failures({ outcome: { refused, left, reason } }: { readonly outcome: BulkOutcome }) {
  const reasons = [...new Set(refused.flatMap(({ error }) => error?.message ?? []))];
  const count = refused.length + left;
  const all = [...reasons.slice(0, REASONS_SHOWN), ...(reason === undefined ? [] : [reason])];
  return (
    <Notice tone="warning">
      {count === 1 ? 'One node was' : `${formatCount(count)} nodes were`} not changed, and stay
      selected. {all.map((one) => one.replace(/\.?$/, '.')).join(' ')}
    </Notice>
  );
}

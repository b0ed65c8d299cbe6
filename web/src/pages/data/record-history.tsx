import { useMutation } from '@tanstack/react-query';
import { Undo2 } from 'lucide-react';
import { client } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { formatCount } from '../../ui/format.ts';
import { toastDone, toastError } from '../../ui/toast.ts';
import { NodeHistory } from '../explore/node/node-history.tsx';
import { useChangedNodes } from './use-saved-record.ts';

interface RecordHistoryProps {
  readonly uid: string;
  readonly type: string;
  /** The version that the node is at, for who may write it. */
  readonly version: number | undefined;
}

/** What was changed; whoever may write the node gives it the values of an earlier version. */
export function RecordHistory({ uid, type, version: current }: RecordHistoryProps) {
  const onChanged = useChangedNodes();
  const restore = useMutation({
    mutationFn: (version: number) =>
      client.nodes.restore(uid, {
        version,
        ...(current !== undefined && { ifVersion: current }),
      }),
    onSuccess: async (_, version) => {
      toastDone(`The values of version ${formatCount(version)} are back`);
      await onChanged();
    },
    onError: (error) => toastError('The version was not restored', error),
  });
  return (
    <NodeHistory
      uid={uid}
      type={type}
      actionOf={({ version }) =>
        current !== undefined &&
        version !== null &&
        version < current && (
          <Button
            size="small"
            kind="quiet"
            icon={Undo2}
            isBusy={restore.isPending}
            aria-label={`Restore version ${formatCount(version)}`}
            onClick={() => restore.mutate(version)}
          >
            Restore
          </Button>
        )
      }
    />
  );
}

import { RECORDED_INPUTS_MAX } from '@trellis/contract/limits.ts';
import type { RecordedInputs } from '@trellis/contract/shapes/code-history.ts';
import { useMutation, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import { useChangePermission } from '../../app/permissions.ts';
import { Switch } from '../../ui/switch.tsx';
import { toastDone, toastError } from '../../ui/toast.ts';
import { recordedInputsQuery } from './endpoint-queries.ts';

interface RecordedInputsControlProps {
  readonly name: string;
  readonly recorded: UseQueryResult<RecordedInputs>;
}

/**
 * Whether the last bodies are kept to try versions with. They hold what callers send: off until
 * somebody wants it.
 */
export function RecordedInputsControl({ name, recorded }: RecordedInputsControlProps) {
  const queries = useQueryClient();
  const permission = useChangePermission();
  const recording = useMutation({
    mutationFn: (keep: number) => client.codeHistory.recordInputs('endpoint', name, { keep }),
    onSuccess: (now) => {
      queries.setQueryData(recordedInputsQuery(name).queryKey, now);
      toastDone(now.keep > 0 ? 'Inputs are recorded from now on' : 'Recorded inputs are deleted');
    },
    onError: (error) => toastError('Recording was not changed', error),
  });
  const keep = recorded.data?.keep ?? 0;
  return (
    <div className="flex flex-col gap-1">
      <Switch
        label="Record inputs"
        isOn={keep > 0}
        isDisabled={!permission.isAllowed || recorded.data === undefined || recording.isPending}
        onChange={(isOn) => recording.mutate(isOn ? RECORDED_INPUTS_MAX : 0)}
      />
      <p className="text-[13px] text-muted">
        Keeps the last {keep > 0 ? keep : RECORDED_INPUTS_MAX} bodies in the memory of the primary,
        where every administrator can read them. Switching it off deletes them.
      </p>
    </div>
  );
}

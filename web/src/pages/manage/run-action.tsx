import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { Play, Square } from 'lucide-react';
import { client } from '../../api/client.ts';
import { useChangePermission } from '../../app/permissions.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { toastDone, toastError } from '../../ui/toast.ts';

interface RunActionProps {
  /** What the run is called, such as "Run 3". */
  readonly name: string;
  readonly job: string;
  readonly isRunning: boolean;
  readonly onResume: () => Promise<unknown>;
  /** Of what tells of the run. */
  readonly queryKey: QueryKey;
}

/** Cancels what runs, and goes on with what was cut off. */
export function RunAction({ name, job, isRunning, onResume, queryKey }: RunActionProps) {
  const permission = useChangePermission();
  const queries = useQueryClient();
  const act = useMutation({
    mutationFn: () => (isRunning ? client.jobs.cancel(job) : onResume()),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey });
      toastDone(isRunning ? 'The run is being cancelled' : 'The run goes on', name);
    },
    onError: (error) =>
      toastError(isRunning ? 'The run was not cancelled' : 'The run does not go on', error),
  });
  return isRunning ? (
    <IconButton
      icon={Square}
      size="small"
      label={`Cancel ${name}`}
      disabled={!permission.isAllowed || act.isPending}
      onClick={() => act.mutate()}
    />
  ) : (
    <Button
      size="small"
      icon={Play}
      disabled={!permission.isAllowed}
      isBusy={act.isPending}
      onClick={() => act.mutate()}
    >
      Go on
    </Button>
  );
}

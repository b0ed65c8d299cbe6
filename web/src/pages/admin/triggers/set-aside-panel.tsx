import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { SetAside } from '@trellis/contract/shapes/trigger.ts';
import { client } from '../../../api/client.ts';
import { useChangePermission } from '../../../app/permissions.ts';
import { Button } from '../../../ui/button.tsx';
import { SidePanel } from '../../../ui/dialog.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Time } from '../../../ui/time.tsx';
import { toastDone, toastError } from '../../../ui/toast.ts';
import { setAsideQuery, TRIGGERS_KEY } from './trigger-queries.ts';

interface SetAsidePanelProps {
  readonly endpoint: string;
  readonly onClose: () => void;
}

/** The changes for which an endpoint failed, and that the server does not try again. */
export function SetAsidePanel({ endpoint, onClose }: SetAsidePanelProps) {
  const events = useQuery(setAsideQuery(endpoint));
  return (
    <SidePanel isOpen onClose={onClose} title={`Failed changes of “${endpoint}”`}>
      <QueryView query={events} errorTitle="The changes could not be read">
        {({ items, total }) =>
          items.length === 0 ? (
            <p className="text-muted">None any more.</p>
          ) : (
            <>
              <ol className="flex flex-col gap-4">
                {items.map((event) => (
                  <SetAsideEntry key={event.id} event={event} />
                ))}
              </ol>
              {total > items.length && (
                <p className="mt-4 text-muted">These are the newest of {total}.</p>
              )}
            </>
          )
        }
      </QueryView>
    </SidePanel>
  );
}

function SetAsideEntry({ event: given }: { readonly event: SetAside }) {
  const { id, event, type, key, uid, at, attempts, error } = given;
  const permission = useChangePermission();
  const queries = useQueryClient();
  const again = () => queries.invalidateQueries({ queryKey: TRIGGERS_KEY });
  const what = `${event} ${type} ${key ?? uid}`;
  const retry = useMutation({
    mutationFn: () => client.triggers.retrySetAside(id),
    onSuccess: async ({ succeeded, error: refused }) => {
      if (succeeded) toastDone('The endpoint ran', what);
      else toastError('The endpoint failed again', new Error(refused?.message));
      await again();
    },
    onError: (failed) => toastError('The endpoint was not run', failed),
  });
  const forget = useMutation({
    mutationFn: () => client.triggers.deleteSetAside(id),
    onSuccess: again,
    onError: (failed) => toastError('The change was not forgotten', failed),
  });
  const isBusy = retry.isPending || forget.isPending;
  return (
    <li>
      <p className="font-medium wrap-anywhere">{what}</p>
      <p className="text-[13px] text-muted">
        <Time iso={at} isExact />, tried {attempts === 1 ? 'once' : `${attempts} times`}
      </p>
      <p className="mt-1 wrap-anywhere">{error.message}</p>
      <span className="mt-2 flex gap-2">
        <Button
          size="small"
          disabled={!permission.isAllowed || isBusy}
          isBusy={retry.isPending}
          onClick={() => retry.mutate()}
        >
          Run again<span className="sr-only"> for {what}</span>
        </Button>
        <Button
          size="small"
          disabled={!permission.isAllowed || isBusy}
          onClick={() => forget.mutate()}
        >
          Forget<span className="sr-only"> the change {what}</span>
        </Button>
      </span>
    </li>
  );
}

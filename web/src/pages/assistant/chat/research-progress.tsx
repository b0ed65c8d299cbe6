import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Job } from '@trellis/contract/shapes/job.ts';
import { Square, Telescope } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { client } from '../../../api/client.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ProgressBar } from '../../../ui/progress-bar.tsx';
import { toastError } from '../../../ui/toast.ts';
import { CHATS_KEY, chatResearchQuery } from './chat-queries.ts';

/** The research that waits or is under way in a conversation, as it goes on. */
export function ResearchProgress({ chatUid }: { readonly chatUid: string }) {
  const { data: research } = useQuery(chatResearchQuery(chatUid));
  if (research === undefined || research === null) return null;
  return <Progress key={research.id} begun={research} />;
}

function Progress({ begun }: { readonly begun: Job }) {
  const job = useJobUntilEnd(begun);
  const cancel = useMutation({
    mutationFn: () => client.jobs.cancel(job.id),
    onError: (error) => toastError('The research was not cancelled', error),
  });
  return (
    <Card
      title="Deep research"
      description="It continues when you leave. Its report comes into this conversation."
      actions={
        job.isCancellable && (
          <Button
            size="small"
            icon={Square}
            isBusy={cancel.isPending}
            onClick={() => cancel.mutate()}
          >
            Cancel the research
          </Button>
        )
      }
    >
      <ProgressBar label={job.step} fraction={job.progress} />
      {job.waitingFor !== undefined && (
        <p className="mt-2 flex items-center gap-1.5 text-muted">
          <Telescope className="size-4 shrink-0" aria-hidden />
          Waits for {job.waitingFor}
        </p>
      )}
    </Card>
  );
}

/** The job as it is now; when it has ended, the conversation has its report and is read again. */
function useJobUntilEnd(begun: Job): Job {
  const queries = useQueryClient();
  const [job, setJob] = useState(begun);
  const ended = useRef(() => queries.invalidateQueries({ queryKey: CHATS_KEY }));
  useEffect(() => {
    const leaving = new AbortController();
    const watch = async () => {
      for await (const event of client.jobs.watch(begun.id, { signal: leaving.signal })) {
        if (event.kind === 'job') setJob(event.job);
      }
      await ended.current();
    };
    watch().catch((error: unknown) => {
      if (!leaving.signal.aborted) toastError('The research cannot be followed', error);
    });
    return () => leaving.abort();
  }, [begun.id]);
  return job;
}

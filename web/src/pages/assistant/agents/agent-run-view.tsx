import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { AgentRunWithTranscript } from '@trellis/contract/shapes/agent.ts';
import { Square } from 'lucide-react';
import { client } from '../../../api/client.ts';
import { useNames } from '../../../api/names.ts';
import { Badge, type BadgeTone } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { FieldList } from '../../../ui/field-list.tsx';
import { formatCount } from '../../../ui/format.ts';
import { Markdown } from '../../../ui/markdown.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Time } from '../../../ui/time.tsx';
import { toastError } from '../../../ui/toast.ts';
import { CheckedAnswer } from '../conversation/checked-answer.tsx';
import { NodeLink } from '../conversation/citations.tsx';
import { Question, Reply, Thinking } from '../conversation/message.tsx';
import { ToolCalls } from '../conversation/tool-calls.tsx';
import { agentRunQuery } from './agent-queries.ts';

export const STATUS_TONES: Readonly<Record<AgentRunWithTranscript['status'], BadgeTone>> = {
  Running: 'info',
  Completed: 'good',
  Canceled: 'neutral',
  Failed: 'danger',
};

/** One run, as it goes on: what was said and called, and the result. */
export function AgentRunView({ uid }: { readonly uid: string }) {
  const query = useQuery(agentRunQuery(uid));
  return (
    <QueryView query={query} errorTitle="The run could not be read">
      {(run) => (
        <div className="flex flex-col gap-4">
          <RunFacts run={run} />
          <RunResult run={run} />
          <Transcript run={run} />
        </div>
      )}
    </QueryView>
  );
}

interface RunProps {
  readonly run: AgentRunWithTranscript;
}

function RunFacts({ run }: RunProps) {
  const { status, user, variables, usage, startedAt, endedAt } = run;
  const nameOf = useNames([user]);
  return (
    <FieldList
      items={[
        {
          name: 'Status',
          value: (
            <span className="flex flex-wrap items-center gap-2" role="status">
              <Badge tone={STATUS_TONES[status]}>{status}</Badge>
              {status === 'Running' && <CancelRun run={run} />}
            </span>
          ),
        },
        { name: 'User', value: <bdi>{nameOf(user)}</bdi> },
        ...Object.entries(variables).map(([name, value]) => ({ name, value: <bdi>{value}</bdi> })),
        { name: 'Started', value: <Time iso={startedAt} isExact /> },
        ...(endedAt === null ? [] : [{ name: 'Ended', value: <Time iso={endedAt} isExact /> }]),
        {
          name: 'Tokens',
          value: `${formatCount(usage.inputTokens)} in, ${formatCount(usage.outputTokens)} out`,
        },
      ]}
    />
  );
}

function CancelRun({ run }: RunProps) {
  const queries = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => client.agents.cancelRun(run.UID),
    onSuccess: (ended) => queries.setQueryData(agentRunQuery(run.UID).queryKey, ended),
    onError: (error) => toastError('The run was not cancelled', error),
  });
  return (
    <Button size="small" icon={Square} isBusy={cancel.isPending} onClick={() => cancel.mutate()}>
      Cancel the run
    </Button>
  );
}

function RunResult({ run }: RunProps) {
  const { status, error, result, citations } = run;
  if (error !== null) {
    return (
      <p role="alert" className="rounded-control bg-danger-soft px-3 py-2 text-danger">
        {error.message} <code className="font-mono">({error.code})</code>
      </p>
    );
  }
  if (status !== 'Completed') return null;
  return (
    <section aria-label="Result of the run" className="rounded-control border p-3">
      {typeof result === 'string' ? (
        <div className="flex flex-col gap-2.5">
          <CheckedAnswer text={result} citations={citations} support={run} link={NodeLink} />
        </div>
      ) : (
        <pre
          tabIndex={0}
          className="overflow-x-auto font-mono text-[13px] whitespace-pre-wrap wrap-anywhere"
        >
          {JSON.stringify(result, null, 2)}
        </pre>
      )}
    </section>
  );
}

function Transcript({ run: { status, transcript } }: RunProps) {
  return (
    <section aria-label="Transcript" className="flex flex-col gap-4">
      <h3 className="font-medium">Transcript</h3>
      {transcript.map((entry, at) => (
        // What was said has no identity but its place.
        // oxlint-disable-next-line react/no-array-index-key
        <TranscriptEntry key={at} entry={entry} />
      ))}
      {status === 'Running' && <Thinking />}
    </section>
  );
}

interface TranscriptEntryProps {
  readonly entry: AgentRunWithTranscript['transcript'][number];
}

function TranscriptEntry({ entry }: TranscriptEntryProps) {
  switch (entry.role) {
    case 'user':
      return <Question text={entry.text} />;
    case 'tool':
      return <ToolCalls calls={[entry]} />;
    case 'assistant':
      return (
        <Reply from="Agent">
          <Markdown text={entry.text} />
        </Reply>
      );
  }
}

import type { ChatToolCall } from '@trellis/contract/shapes/chat.ts';
import { ChevronRight, LoaderCircle, Wrench } from 'lucide-react';
import { Badge } from '../../../ui/badge.tsx';
import { formatMs } from '../../../ui/format.ts';

type ShownCall = Omit<ChatToolCall, 'ms'> & { readonly ms: number | undefined };

/** What an answer called, each folded up: input, what came back, and how long it took. */
export function ToolCalls({ calls }: { readonly calls: readonly ShownCall[] }) {
  if (calls.length === 0) return null;
  return (
    <ul aria-label="Tool calls" className="flex flex-col gap-1.5">
      {calls.map((call, at) => (
        // A call has no identity but its place.
        // oxlint-disable-next-line react/no-array-index-key
        <li key={at}>
          <ToolCall call={call} />
        </li>
      ))}
    </ul>
  );
}

function ToolCall({ call }: { readonly call: ShownCall }) {
  const { tool, input, error, ms } = call;
  return (
    <details className="group rounded-control border bg-surface text-[13px]">
      <summary className="flex items-center gap-2 px-2.5 py-1.5 marker:content-none hover:bg-sunken">
        <ChevronRight
          className="size-3.5 shrink-0 text-muted transition-transform group-open:rotate-90"
          aria-hidden
        />
        <Wrench className="size-3.5 shrink-0 text-muted" aria-hidden />
        <span className="min-w-0 truncate font-mono">{tool}</span>
        {error !== undefined && <Badge tone="danger">Error</Badge>}
        <span className="ml-auto shrink-0 text-muted">
          {ms === undefined ? <Running /> : formatMs(ms)}
        </span>
      </summary>
      <div className="flex flex-col gap-2 border-t p-2.5">
        <Value title="Input" value={input} />
        {error !== undefined && (
          <p className="text-danger">
            {error.message} <code className="font-mono">({error.code})</code>
          </p>
        )}
        {call.output !== undefined && <Value title="Output" value={call.output} />}
        {ms !== undefined && error === undefined && call.output === undefined && (
          <p className="text-muted">The output is too large to be kept, or you may not see it.</p>
        )}
      </div>
    </details>
  );
}

function Running() {
  return (
    <>
      <LoaderCircle className="size-3.5 animate-spin" aria-hidden />
      <span className="sr-only">Runs</span>
    </>
  );
}

function Value({ title, value }: { readonly title: string; readonly value: unknown }) {
  return (
    <div>
      <p className="text-muted">{title}</p>
      <pre
        tabIndex={0}
        aria-label={title}
        role="group"
        className="mt-0.5 max-h-60 overflow-auto rounded-control bg-sunken p-2 font-mono text-xs whitespace-pre-wrap wrap-anywhere"
      >
        {typeof value === 'string' ? value : JSON.stringify(value, null, 2)}
      </pre>
    </div>
  );
}

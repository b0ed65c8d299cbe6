import type { CallTrace } from '@trellis/contract/shapes/call-trace.ts';
import type { EndpointDefinition } from '@trellis/contract/shapes/endpoint.ts';
import { useQuery } from '@tanstack/react-query';
import { Dialog } from '../../ui/dialog.tsx';
import { FieldList } from '../../ui/field-list.tsx';
import { formatBytes, formatCount, formatMs } from '../../ui/format.ts';
import { QueryView } from '../../ui/query-view.tsx';
import { callTraceQuery } from './endpoint-queries.ts';
import { RunAgain } from './run-again.tsx';
import { TraceWaterfall } from './trace-waterfall.tsx';
import type { EndpointDraft } from './use-endpoint-draft.ts';

interface TraceDialogProps {
  /** Undefined while none is looked at. */
  readonly id: string | undefined;
  readonly definition: EndpointDefinition;
  readonly draft: EndpointDraft;
  readonly onClose: () => void;
  /** Shows the tab where the code is run. */
  readonly onOpenRun: () => void;
}

/** What a call did, and its input to run again. */
export function TraceDialog({ id, onClose, ...rest }: TraceDialogProps) {
  return (
    <Dialog isOpen={id !== undefined} onClose={onClose} title="What the call did" size="wide">
      {id !== undefined && <Trace id={id} {...rest} />}
    </Dialog>
  );
}

function Trace({
  id,
  definition,
  draft,
  onOpenRun,
}: Omit<TraceDialogProps, 'id' | 'onClose'> & { readonly id: string }) {
  const trace = useQuery(callTraceQuery(id));
  return (
    <QueryView query={trace} errorTitle="The trace could not be read">
      {(found) => (
        <div className="flex flex-col gap-5">
          <FieldList items={factsOf(found)} />
          <TraceWaterfall trace={found} />
          {found.endpoint === definition.name && (
            <RunAgain {...{ trace: found, definition, draft, onOpenRun }} />
          )}
        </div>
      )}
    </QueryView>
  );
}

const REASONS: Readonly<Record<CallTrace['reason'], string>> = {
  sampled: 'It is one of the calls that are chosen',
  draft: 'It ran code that was not saved',
  error: 'An endpoint failed',
  conflict: 'Others were in the way of what it wrote',
  slow: 'It was slow',
};

function factsOf(trace: CallTrace) {
  const { endpoint, version, ms, cpuMs, heapBytes, attempts, reason, counted } = trace;
  return [
    { name: 'Endpoint', value: version === null ? endpoint : `${endpoint}, version ${version}` },
    { name: 'Kept because', value: REASONS[reason] },
    { name: 'Time', value: formatMs(ms) },
    ...(cpuMs === null ? [] : [{ name: 'Of the processor', value: formatMs(cpuMs) }]),
    ...(heapBytes === null ? [] : [{ name: 'Heap of the worker', value: formatBytes(heapBytes) }]),
    ...(attempts < 2 ? [] : [{ name: 'Attempts', value: formatCount(attempts) }]),
    ...(counted.length === 0
      ? []
      : [
          {
            name: 'Not shown below',
            value: counted.map(({ name, count }) => `${name}: ${formatCount(count)}`).join(', '),
          },
        ]),
  ];
}

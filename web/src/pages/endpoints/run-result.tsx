import type { EndpointAnswer } from '@trellis/client/methods/endpoint-runs.ts';
import { TrellisError } from '@trellis/client/trellis-error.ts';
import { CornerDownRight } from 'lucide-react';
import { Suspense } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CodeEditor } from '../../ui/code-editor/code-editor.tsx';
import { describeError } from '../../ui/error-text.ts';
import { FieldList } from '../../ui/field-list.tsx';
import { formatBytes, formatMs } from '../../ui/format.ts';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { RequestId } from '../../ui/request-id.tsx';
import type { EndpointRun } from './use-endpoint-run.ts';

const LogLineList = lazyPart(async () => (await import('./log-line-list.tsx')).LogLineList);

interface Place {
  readonly line: number;
  readonly column: number;
}

interface RunResultProps {
  readonly run: EndpointRun;
  readonly onGoTo: (place: Place) => void;
}

/** How the last run ended: what was answered, or why not, and what was logged. */
export function RunResult({ run, onGoTo }: RunResultProps) {
  const { ended } = run;
  return (
    <div role="region" aria-label="Result of the run" aria-live="polite">
      {ended === undefined ? (
        <p className="text-[13px] text-muted">
          {run.isRunning ? 'Running…' : 'The answer, its time and the log appear here.'}
        </p>
      ) : (
        <div className="flex flex-col gap-3">
          {ended.answer === undefined ? (
            <Failure error={ended.error} tookMs={ended.tookMs} onGoTo={onGoTo} />
          ) : (
            <Answer answer={ended.answer} tookMs={ended.tookMs} />
          )}
          {ended.lines.length > 0 && (
            <div>
              <h3 className="mb-1 font-medium">Logged</h3>
              <Suspense>
                <LogLineList label="Log lines of the run" lines={ended.lines} />
              </Suspense>
            </div>
          )}
        </div>
      )}
    </div>
  );
}

interface AnswerProps {
  readonly answer: EndpointAnswer;
  readonly tookMs: number;
}

function Answer({ answer: { status, headers, text }, tookMs }: AnswerProps) {
  return (
    <>
      <p className="flex flex-wrap items-center gap-2">
        <Badge tone={status < 400 ? 'good' : 'warning'}>Status {status}</Badge>
        <span className="text-muted tabular-nums">{formatMs(tookMs)}</span>
        <span className="text-muted tabular-nums">{formatBytes(text.length)}</span>
      </p>
      {text === '' ? (
        <p className="text-muted">The answer has no body.</p>
      ) : (
        <CodeEditor
          label="Answer of the run"
          language="json"
          isReadOnly
          value={prettyJson(text)}
          className="h-72 rounded-control border"
        />
      )}
      <FieldList items={HEADERS.flatMap(([header, name]) => headerOf(headers, header, name))} />
    </>
  );
}

/** What an answer carries that tells of the run. */
const HEADERS = [
  ['msk-cache', 'Cache'],
  ['age', 'Age, in seconds'],
  ['x-msk-sequence', 'Sequence'],
  ['msk-endpoint-key', 'Key of the run'],
  ['x-request-id', 'Request'],
] as const;

function headerOf(headers: Headers, header: string, name: string) {
  const value = headers.get(header);
  return value === null
    ? []
    : [{ name, value: <code className="font-mono text-xs">{value}</code> }];
}

interface FailureProps {
  readonly error: unknown;
  readonly tookMs: number;
  readonly onGoTo: (place: Place) => void;
}

function Failure({ error, tookMs, onGoTo }: FailureProps) {
  const { message, hint, requestId, code } = describeError(error);
  const place = placeOf(error);
  const status = error instanceof TrellisError ? error.status : 0;
  return (
    <div role="alert" className="flex flex-col gap-2 rounded-card bg-danger-soft p-3">
      <p className="flex flex-wrap items-center gap-2">
        <Badge tone="danger">{status === 0 ? 'No answer' : `Status ${status}`}</Badge>
        <span className="text-muted tabular-nums">{formatMs(tookMs)}</span>
        {code !== undefined && <code className="font-mono text-xs">{code}</code>}
      </p>
      <p className="break-words whitespace-pre-wrap">{message}</p>
      {hint !== undefined && <p className="text-muted">{hint}</p>}
      {place !== undefined && (
        <div>
          <Button size="small" icon={CornerDownRight} onClick={() => onGoTo(place)}>
            Go to line {place.line}
          </Button>
        </div>
      )}
      {requestId !== undefined && (
        <p className="text-xs text-muted">
          Request <RequestId id={requestId} />
        </p>
      )}
    </div>
  );
}

/** Where the code threw, when the server says it. */
function placeOf(error: unknown): Place | undefined {
  if (!(error instanceof TrellisError)) return undefined;
  const { line, column } = error.details ?? {};
  return typeof line === 'number' && typeof column === 'number' ? { line, column } : undefined;
}

/** Indented; a text that is not JSON stays as it is. */
function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    // Shown as it came.
    return text;
  }
}

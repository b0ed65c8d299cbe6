import type { CallTrace } from '@trellis/contract/shapes/call-trace.ts';
import type { EndpointDefinition } from '@trellis/contract/shapes/endpoint.ts';
import { useQueryClient } from '@tanstack/react-query';
import { Play } from 'lucide-react';
import { Suspense, useState } from 'react';
import { useChangePermission } from '../../app/permissions.ts';
import { requestedAction } from '../../app/requested-action.ts';
import { Button } from '../../ui/button.tsx';
import { describeError } from '../../ui/error-text.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { SelectField } from '../../ui/field.tsx';
import { FormAlert } from '../../ui/form-alert.tsx';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { isBuiltIn, versionQuery } from './endpoint-queries.ts';
import { keepText } from './kept-drafts.ts';
import type { EndpointDraft } from './use-endpoint-draft.ts';
import { type DraftCode, useEndpointRun } from './use-endpoint-run.ts';

/** With an editor, which is large: only who runs something needs it. */
const RunResult = lazyPart(async () => (await import('./run-result.tsx')).RunResult);

interface RunAgainProps {
  readonly trace: CallTrace;
  readonly definition: EndpointDefinition;
  readonly draft: EndpointDraft;
  readonly onOpenRun: () => void;
}

/** What the code is taken from: `version 3`. */
type Source = 'served' | 'draft' | `version ${number}`;

/** Versions that are offered: the newest. */
const VERSIONS_MAX = 20;

/** Runs the endpoint with the input of a call: what serves, the draft, or an older version. */
export function RunAgain({ trace, ...rest }: RunAgainProps) {
  const { input } = trace;
  if (input === null) return <p className="text-muted">Its input was not kept.</p>;
  return (
    <section aria-label="Run again with this input" className="flex flex-col gap-3">
      <h3 className="font-medium">Run again with this input</h3>
      <pre className="max-h-40 overflow-auto rounded-control border bg-sunken p-2 font-mono text-xs break-words whitespace-pre-wrap">
        {input === '' ? 'No body' : input}
      </pre>
      <RunWith input={input} {...rest} />
    </section>
  );
}

type RunWithProps = Omit<RunAgainProps, 'trace'> & { readonly input: string };

function RunWith({ input, definition, draft, onOpenRun }: RunWithProps) {
  const { name } = definition;
  const [source, setSource] = useState<Source>('served');
  const [isAsked, setAsked] = useState(false);
  const [fault, setFault] = useState<string>();
  const run = useEndpointRun(name);
  const codeOf = useCodeOf(definition, draft);
  const mayTry = useChangePermission().isAllowed && !isBuiltIn(name);
  const start = async () => {
    setAsked(false);
    setFault(undefined);
    try {
      await run.start(input, await codeOf(source));
    } catch (error) {
      setFault(describeError(error).message);
    }
  };
  const mayWrite = source === 'served' && !definition.isReadOnly;
  return (
    <>
      <div className="flex flex-wrap items-end gap-2">
        <SelectField
          label="Code"
          className="w-52"
          value={source}
          options={sourcesOf(definition, draft, mayTry)}
          onChange={(event) => setSource(event.target.value as Source)}
        />
        <Button
          kind="primary"
          icon={Play}
          isBusy={run.isRunning}
          onClick={() => (mayWrite ? setAsked(true) : void start())}
        >
          Run again
        </Button>
        <Button
          onClick={() => {
            keepText('body', name, input);
            requestedAction.request(`body ${name}`);
            onOpenRun();
          }}
        >
          Open in Run
        </Button>
      </div>
      {source !== 'served' && (
        <p className="text-[13px] text-muted">It runs without being saved, and changes nothing.</p>
      )}
      <FormAlert message={fault} />
      {(run.isRunning || run.ended !== undefined) && (
        <Suspense fallback={<Skeleton />}>
          <RunResult run={run} onGoTo={() => onOpenRun()} />
        </Suspense>
      )}
      <ConfirmDialog
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        title={`Run ${name} again?`}
        action="Run"
        onConfirm={() => void start()}
      >
        It may write: what it did for the call that you look at, it does once more, as you.
      </ConfirmDialog>
    </>
  );
}

/** Who may not write code cannot run any that does not serve. */
function sourcesOf({ version }: EndpointDefinition, draft: EndpointDraft, mayTry: boolean) {
  const served = { value: 'served', label: 'What is served' };
  if (!mayTry) return [served];
  const older = Array.from({ length: Math.min(version - 1, VERSIONS_MAX) }, (_, i) => {
    return { value: `version ${version - 1 - i}`, label: `Version ${version - 1 - i}` };
  });
  return [served, ...(draft.isDirty ? [{ value: 'draft', label: 'The draft' }] : []), ...older];
}

/** Code that is not what serves; undefined for that. */
function useCodeOf(
  { name, isReadOnly }: EndpointDefinition,
  draft: EndpointDraft,
): (source: Source) => Promise<DraftCode | undefined> {
  const queries = useQueryClient();
  return async (source) => {
    if (source === 'served') return undefined;
    if (source === 'draft') return { code: draft.code, isReadOnly };
    const version = Number(source.slice('version '.length));
    const { code } = await queries.fetchQuery(versionQuery(name, version));
    return { code, isReadOnly };
  };
}

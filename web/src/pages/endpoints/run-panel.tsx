import type { EndpointDefinition } from '@trellis/contract/shapes/endpoint.ts';
import { useQuery } from '@tanstack/react-query';
import { Play, Square, Timer } from 'lucide-react';
import { type Ref, Suspense, useImperativeHandle, useRef, useState } from 'react';
import { BASE_URL } from '../../app/base-url.ts';
import { useRequestedAction } from '../../app/requested-action.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CodeEditor } from '../../ui/code-editor/code-editor.tsx';
import { jsonFault } from '../../ui/code-editor/editor-language.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { FormAlert } from '../../ui/form-alert.tsx';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Switch } from '../../ui/switch.tsx';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { curlCommand } from './curl-command.ts';
import { endpointTypesQuery } from './endpoint-queries.ts';
import { keepText, keptText } from './kept-drafts.ts';
import { sampleBody } from './sample-body.ts';
import { type EndpointRun, useEndpointRun } from './use-endpoint-run.ts';

const RunResult = lazyPart(async () => (await import('./run-result.tsx')).RunResult);
const LiveAnswer = lazyPart(async () => (await import('./live-answer.tsx')).LiveAnswer);

interface RunPanelProps {
  readonly definition: EndpointDefinition;
  /** The code of the editor, when it is not what is saved. */
  readonly draft: string | undefined;
  /** Undefined for those who may not save. */
  readonly onSave: (() => Promise<boolean>) | undefined;
  readonly handle: Ref<RunPanelHandle>;
  readonly onGoTo: (place: { readonly line: number; readonly column: number }) => void;
}

export interface RunPanelHandle {
  /** Runs this code of the editor. */
  run(code: string): void;
}

/** Runs what is served, or a draft, with a body that stays for this endpoint. */
export function RunPanel({ definition, draft, onSave, onGoTo, handle }: RunPanelProps) {
  const { name, isReadOnly } = definition;
  const [body, setBody] = useKeptBody(definition);
  const [fault, setFault] = useState<string>();
  const run = useEndpointRun(name);
  const [watched, setWatched] = useState<string>();
  const isJson = (text: string) => {
    const found = jsonFault(text)?.message;
    setFault(found === undefined ? undefined : `The body is not JSON: ${found}`);
    return found === undefined;
  };
  const setLive = (isOn: boolean) => setWatched(isOn && isJson(body) ? body : undefined);
  const start = async (what: 'served' | 'draft' | 'saved', text = body, code = draft) => {
    if (!isJson(text)) return;
    setWatched(undefined);
    if (what === 'saved' && (await onSave?.()) !== true) return;
    const isDraft = what === 'draft' && code !== undefined;
    await run.start(text, isDraft ? { code, isReadOnly } : undefined);
  };
  const profile = async () => {
    if (!isJson(body)) return;
    setWatched(undefined);
    await run.start(body, { code: draft ?? definition.code, isReadOnly, profile: true });
  };
  const canRunDraft = draft !== undefined && onSave !== undefined;
  useImperativeHandle(handle, () => ({
    run: (code) => {
      const isDraft = onSave !== undefined && code !== definition.code;
      void start(isDraft ? 'draft' : 'served', body, code);
    },
  }));
  return (
    <Card
      title="Run"
      description={
        canRunDraft ? 'A draft runs without being saved, and changes nothing.' : undefined
      }
      actions={<CopyButton text={curlCommand(BASE_URL, name, body)} label="Copy as curl" />}
    >
      <div className="flex flex-col gap-3">
        <BodyEditor
          value={body}
          onChange={(text) => {
            setBody(text);
            setWatched(undefined);
          }}
          onRun={(text) => void start(canRunDraft ? 'draft' : 'served', text)}
        />
        <FormAlert message={fault} />
        <RunButtons
          {...{ name, run }}
          onRun={() => void start('served')}
          onRunDraft={canRunDraft ? () => void start('draft') : undefined}
          onSaveAndRun={canRunDraft ? () => void start('saved') : undefined}
          onProfile={onSave === undefined ? undefined : () => void profile()}
        />
        {isReadOnly && <Switch label="Live" isOn={watched !== undefined} onChange={setLive} />}
        {watched === undefined || !isReadOnly ? (
          <Suspense fallback={<Skeleton rows={1} />}>
            <RunResult run={run} onGoTo={onGoTo} />
          </Suspense>
        ) : (
          <LiveAnswer key={watched} name={name} body={watched} />
        )}
      </div>
    </Card>
  );
}

interface BodyEditorProps {
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly onRun: (text: string) => void;
}

function BodyEditor(props: BodyEditorProps) {
  return (
    <div className="flex flex-col gap-1">
      <p className="font-medium" aria-hidden>
        Body, as JSON
      </p>
      <CodeEditor
        {...props}
        label="Body of the run, as JSON"
        language="json"
        className="h-36 rounded-control border border-line-strong"
      />
    </div>
  );
}

interface RunButtonsProps {
  readonly name: string;
  readonly run: EndpointRun;
  readonly onRun: () => void;
  readonly onRunDraft: (() => void) | undefined;
  readonly onSaveAndRun: (() => void) | undefined;
  readonly onProfile: (() => void) | undefined;
}

function RunButtons(props: RunButtonsProps) {
  const { name, run, onRun, onRunDraft, onSaveAndRun, onProfile } = props;
  const { isRunning, progress } = run;
  const button = useRef<HTMLButtonElement>(null);
  // What it runs with is looked at first.
  useRequestedAction(`run ${name}`, () => button.current?.focus());
  return (
    <>
      <div className="flex flex-wrap gap-2">
        {onRunDraft !== undefined && (
          <Button kind="primary" icon={Play} isBusy={isRunning} onClick={onRunDraft} title={KEYS}>
            Run draft
          </Button>
        )}
        {onRunDraft === undefined ? (
          <Button
            ref={button}
            kind="primary"
            icon={Play}
            isBusy={isRunning}
            onClick={onRun}
            title={KEYS}
          >
            Run
          </Button>
        ) : (
          <Button ref={button} disabled={isRunning} onClick={onRun}>
            Run
          </Button>
        )}
        {onSaveAndRun !== undefined && (
          <Button disabled={isRunning} onClick={onSaveAndRun}>
            Save and run
          </Button>
        )}
        {onProfile !== undefined && (
          <Button
            icon={Timer}
            disabled={isRunning}
            onClick={onProfile}
            title="Runs it as a draft, and saves a CPU profile"
          >
            Profile
          </Button>
        )}
        {isRunning && (
          <Button icon={Square} onClick={run.cancel}>
            Cancel
          </Button>
        )}
      </div>
      {progress !== undefined && (
        <ProgressBar label={progress.text ?? 'Running'} fraction={progress.fraction ?? 0} />
      )}
    </>
  );
}

const KEYS = 'Ctrl+Enter in the body or the code';

/** What somebody has written, or else a sample of what the endpoint takes. */
function useKeptBody({
  name,
  version,
}: EndpointDefinition): readonly [string, (body: string) => void] {
  const [body, setBody] = useState(() => keptText('body', name));
  const types = useQuery({ ...endpointTypesQuery(name, version), enabled: body === undefined });
  // Another tab has put one there.
  useRequestedAction(`body ${name}`, () => setBody(keptText('body', name)));
  const change = (next: string) => {
    setBody(next);
    keepText('body', name, next === '' ? undefined : next);
  };
  return [body ?? sampleBody(types.data?.input ?? null), change];
}

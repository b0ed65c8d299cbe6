import type { EndpointDefinition } from '@trellis/contract/shapes/endpoint.ts';
import { Play, Square } from 'lucide-react';
import { useState } from 'react';
import { BASE_URL } from '../../app/base-url.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CodeEditor } from '../../ui/code-editor/code-editor.tsx';
import { jsonFault } from '../../ui/code-editor/editor-language.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { FormAlert } from '../../ui/form-alert.tsx';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { curlCommand } from './curl-command.ts';
import { keepText, keptText } from './kept-drafts.ts';
import { RunResult } from './run-result.tsx';
import { type EndpointRun, useEndpointRun } from './use-endpoint-run.ts';

interface RunPanelProps {
  readonly definition: EndpointDefinition;
  readonly isDirty: boolean;
  /** Undefined for those who may not save. */
  readonly onSave: (() => Promise<boolean>) | undefined;
  readonly onGoTo: (place: { readonly line: number; readonly column: number }) => void;
}

/** Runs what is served, with a body that stays for this endpoint. */
export function RunPanel({ definition, isDirty, onSave, onGoTo }: RunPanelProps) {
  const { name } = definition;
  const [body, setBody] = useKeptBody(name);
  const [fault, setFault] = useState<string>();
  const run = useEndpointRun(name);
  const start = async (savesFirst: boolean, text = body) => {
    const found = jsonFault(text)?.message;
    setFault(found === undefined ? undefined : `The body is not JSON: ${found}`);
    if (found !== undefined) return;
    if (savesFirst && (await onSave?.()) !== true) return;
    await run.start(text);
  };
  return (
    <Card
      title="Run"
      description={isDirty ? 'Runs the saved version, without your unsaved changes.' : undefined}
      actions={<CopyButton text={curlCommand(BASE_URL, name, body)} label="Copy as curl" />}
    >
      <div className="flex flex-col gap-3">
        <div className="flex flex-col gap-1">
          <p className="font-medium" aria-hidden>
            Body, as JSON
          </p>
          <CodeEditor
            label="Body of the run, as JSON"
            language="json"
            value={body}
            onChange={setBody}
            onRun={(text) => void start(false, text)}
            className="h-36 rounded-control border border-line-strong"
          />
        </div>
        <FormAlert message={fault} />
        <RunButtons
          run={run}
          onRun={() => void start(false)}
          onSaveAndRun={isDirty && onSave !== undefined ? () => void start(true) : undefined}
        />
        <RunResult run={run} onGoTo={onGoTo} />
      </div>
    </Card>
  );
}

interface RunButtonsProps {
  readonly run: EndpointRun;
  readonly onRun: () => void;
  readonly onSaveAndRun: (() => void) | undefined;
}

function RunButtons({ run, onRun, onSaveAndRun }: RunButtonsProps) {
  const { isRunning, progress } = run;
  return (
    <>
      <div className="flex flex-wrap gap-2">
        <Button
          kind={onSaveAndRun === undefined ? 'primary' : 'plain'}
          icon={Play}
          isBusy={isRunning}
          onClick={onRun}
          title="Ctrl+Enter in the body"
        >
          Run
        </Button>
        {onSaveAndRun !== undefined && (
          <Button kind="primary" disabled={isRunning} onClick={onSaveAndRun}>
            Save and run
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

function useKeptBody(name: string): readonly [string, (body: string) => void] {
  const [body, setBody] = useState(() => keptText('body', name) ?? '');
  const change = (next: string) => {
    setBody(next);
    keepText('body', name, next === '' ? undefined : next);
  };
  return [body, change];
}

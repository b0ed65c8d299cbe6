import type { Diagnostic, EndpointDefinition } from '@trellis/contract/shapes/endpoint.ts';
import { type RefObject, Suspense, useEffect, useRef } from 'react';
import { useConnectionState } from '../../app/live-connection.ts';
import { useChangePermission } from '../../app/permissions.ts';
import { Card } from '../../ui/card.tsx';
import { CodeEditor, type CodeEditorHandle } from '../../ui/code-editor/code-editor.tsx';
import { describeError } from '../../ui/error-text.ts';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { CodeNotices } from './code-notices.tsx';
import { isBuiltIn } from './endpoint-queries.ts';
import { ProblemList, ProblemSummary } from './problem-list.tsx';
import type { RunPanelHandle } from './run-panel.tsx';
import { useEditorServices } from './use-editor-services.ts';
import type { EndpointDraft } from './use-endpoint-draft.ts';
import type { EndpointSaving } from './use-endpoint-saving.ts';

const RunPanel = lazyPart(async () => (await import('./run-panel.tsx')).RunPanel);
const ConflictView = lazyPart(async () => (await import('./conflict-view.tsx')).ConflictView);

interface CodeTabProps {
  readonly definition: EndpointDefinition;
  readonly draft: EndpointDraft;
  readonly saving: EndpointSaving;
}

export function CodeTab({ definition, draft, saving }: CodeTabProps) {
  const editor = useRef<CodeEditorHandle>(null);
  const runPanel = useRef<RunPanelHandle>(null);
  const permission = useChangePermission();
  const isLocked = !permission.isAllowed || isBuiltIn(definition.name);
  const { conflict } = saving;
  return (
    <div className="flex flex-col gap-4">
      <CodeNotices {...{ definition, draft, saving }} reason={permission.reason} />
      {conflict !== undefined && (
        <Suspense fallback={<Skeleton />}>
          <ConflictView
            theirs={conflict}
            mine={draft.code}
            isBusy={saving.isBusy}
            onBack={saving.endConflict}
            onKeepMine={() => void saving.save({ version: conflict.version })}
            onTakeTheirs={() => {
              draft.take(conflict.code, conflict.version);
              saving.endConflict();
            }}
          />
        </Suspense>
      )}
      <div className="grid grid-cols-1 items-start gap-4 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <EditorCard
          {...{ definition, draft, saving, isLocked, editor }}
          onRun={(code) => runPanel.current?.run(code)}
        />
        <Suspense fallback={<Skeleton />}>
          <RunPanel
            definition={definition}
            draft={draft.isDirty ? draft.code : undefined}
            handle={runPanel}
            onSave={isLocked ? undefined : () => saving.save()}
            onGoTo={(place) => editor.current?.goTo(place)}
          />
        </Suspense>
      </div>
    </div>
  );
}

interface EditorCardProps extends CodeTabProps {
  readonly isLocked: boolean;
  readonly editor: RefObject<CodeEditorHandle | null>;
  readonly onRun: (code: string) => void;
}

function EditorCard({ definition, draft, saving, isLocked, editor, onRun }: EditorCardProps) {
  const { name, isReadOnly } = definition;
  const { services, problems, checked, notices, trouble } = useEditorServices(isReadOnly);
  const { readOnlyFaults } = saving;
  const connection = useConnectionState();
  useEffect(() => {
    // In the other scope, or after the server was away, the compiler may say something else.
    if (connection === 'online') editor.current?.check();
  }, [editor, isReadOnly, connection]);
  useEffect(() => {
    if (readOnlyFaults.length > 0) editor.current?.showDiagnostics(readOnlyFaults);
  }, [editor, readOnlyFaults]);
  const apply = (problem: Diagnostic, meant: string) => editor.current?.replaceName(problem, meant);
  const goTo = (problem: Diagnostic) => editor.current?.goTo(problem);
  return (
    <Card isFlush className="overflow-hidden">
      <CodeEditor
        label={`Code of ${name}`}
        value={draft.code}
        onChange={draft.change}
        isReadOnly={isLocked || saving.conflict !== undefined}
        services={services}
        onSave={(code) => {
          if (!isLocked && code !== definition.code) void saving.save({ code });
        }}
        onRun={onRun}
        handle={editor}
        className="h-[62vh] min-h-80"
      />
      <div className="flex flex-col gap-1 border-t px-3 py-2">
        <div className="flex flex-wrap items-center justify-between gap-x-4">
          <ProblemSummary problems={problems} />
          {!isLocked && (
            <p className="text-xs text-muted">
              Tab indents; Escape, then Tab, leaves the editor. Ctrl+S saves, Ctrl+Enter runs.
            </p>
          )}
        </div>
        {trouble !== undefined && (
          <p className="text-[13px] text-warning">
            The compiler of the server cannot be asked now: {describeError(trouble).message}
          </p>
        )}
        {problems !== undefined && problems.length > 0 && (
          <ProblemList
            label="Problems"
            problems={problems}
            onGoTo={goTo}
            onApply={isLocked ? undefined : apply}
            canApply={checked === draft.code.replaceAll('\r\n', '\n')}
          />
        )}
        {notices.map(({ message }) => (
          <p key={message} className="text-[13px] text-muted">
            {message}
          </p>
        ))}
      </div>
    </Card>
  );
}

import type { EndpointCheck } from '@trellis/contract/shapes/endpoint.ts';
import { useRef } from 'react';
import { CodeEditor, type CodeEditorHandle } from '../../ui/code-editor/code-editor.tsx';
import { ProblemList, ProblemSummary } from '../endpoints/problem-list.tsx';
import { useEditorServices } from '../endpoints/use-editor-services.ts';

export interface CheckedCodeProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (code: string) => void;
  readonly onSave: (code: string) => void;
  readonly isLocked: boolean;
  /** For code that is checked in another way than that of endpoints. */
  readonly check?: ((code: string) => Promise<EndpointCheck>) | undefined;
}

/** Code, checked while it is typed, and what is wrong with it. */
export function CheckedCode({ isLocked, check, ...code }: CheckedCodeProps) {
  const editor = useRef<CodeEditorHandle>(null);
  const { services, problems } = useEditorServices(false, check);
  return (
    <>
      <CodeEditor
        {...code}
        isReadOnly={isLocked}
        services={services}
        handle={editor}
        className="h-80 rounded-control border"
      />
      <ProblemSummary problems={problems} />
      {problems !== undefined && problems.length > 0 && (
        <ProblemList
          label="Problems"
          problems={problems}
          onGoTo={(problem) => editor.current?.goTo(problem)}
        />
      )}
    </>
  );
}

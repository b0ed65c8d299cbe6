import { useCallback, useRef } from 'react';
import { client } from '../../../api/client.ts';
import { CodeEditor, type CodeEditorHandle } from '../../../ui/code-editor/code-editor.tsx';
import { ProblemList, ProblemSummary } from '../../endpoints/problem-list.tsx';
import { useEditorServices } from '../../endpoints/use-editor-services.ts';

interface ModuleCodeProps {
  /** Undefined for a new one. */
  readonly name: string | undefined;
  readonly value: string;
  readonly onChange: (code: string) => void;
  readonly isLocked: boolean;
}

/** The code, checked while it is typed, and what is wrong with it. */
export function ModuleCode({ name, value, onChange, isLocked }: ModuleCodeProps) {
  const editor = useRef<CodeEditorHandle>(null);
  const check = useCallback(
    (code: string) => client.modules.check({ code, ...(name === undefined ? {} : { name }) }),
    [name],
  );
  const { services, problems } = useEditorServices(false, check);
  return (
    <>
      <CodeEditor
        label="Code of the module"
        value={value}
        onChange={onChange}
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

import { useRef } from 'react';
import { CodeEditor, type CodeEditorHandle } from '../../../ui/code-editor/code-editor.tsx';
import { ProblemList, ProblemSummary } from '../../endpoints/problem-list.tsx';
import { useEditorServices } from '../../endpoints/use-editor-services.ts';

interface MigrationCodeProps {
  readonly value: string;
  readonly onChange: (code: string) => void;
  readonly isLocked: boolean;
}

/** The code, checked while it is typed, and what is wrong with it. */
export function MigrationCode({ value, onChange, isLocked }: MigrationCodeProps) {
  const editor = useRef<CodeEditorHandle>(null);
  const { services, problems } = useEditorServices(false);
  return (
    <>
      <CodeEditor
        label="Code of the migration"
        value={value}
        onChange={onChange}
        isReadOnly={isLocked}
        services={services}
        onSave={() => {}}
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

import type {
  CodeComparison,
  CodeComparisonResult,
  RecordedInputs,
} from '@trellis/contract/shapes/code-history.ts';
import { useMutation } from '@tanstack/react-query';
import { FlaskConical } from 'lucide-react';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CodeEditor } from '../../ui/code-editor/code-editor.tsx';
import { jsonFault } from '../../ui/code-editor/editor-language.ts';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormAlert } from '../../ui/form-alert.tsx';
import { type ComparedInput, ComparisonResults } from './comparison-results.tsx';
import { useRecordedInputs } from './endpoint-queries.ts';
import { keptText } from './kept-drafts.ts';
import { RecordedInputsControl } from './recorded-inputs-control.tsx';

interface VersionComparisonProps {
  readonly name: string;
  readonly current: number;
}

/** Runs an old version beside the newest, in the read-only scope (docs/build.md, "Versions"). */
export function VersionComparison({ name, current }: VersionComparisonProps) {
  const [version, setVersion] = useState(current - 1);
  const [body, setBody] = useState(() => keptText('body', name) ?? '');
  const recorded = useRecordedInputs(name);
  const comparison = useMutation({
    mutationFn: (inputs: readonly ComparisonInput[]) => compared(name, version, inputs),
  });
  const isVersion = Number.isInteger(version) && version >= 1 && version < current;
  const fault = jsonFault(body)?.message;
  return (
    <Card
      title="Compare an old version with the new one"
      description={`Version ${current} and the one below run after the other, as you, in the read-only scope.`}
    >
      <div className="flex flex-col gap-3">
        <TextField
          label="Old version"
          type="number"
          className="w-40"
          value={Number.isNaN(version) ? '' : version}
          error={isVersion ? undefined : `Enter a version from 1 to ${current - 1}.`}
          onChange={(event) => setVersion(event.target.valueAsNumber)}
        />
        <div className="flex flex-col gap-1">
          <p className="font-medium" aria-hidden>
            Body, as JSON
          </p>
          <CodeEditor
            label="Body of both runs, as JSON"
            language="json"
            value={body}
            onChange={setBody}
            className="h-28 rounded-control border border-line-strong"
          />
        </div>
        <FormAlert message={fault === undefined ? undefined : `The body is not JSON: ${fault}`} />
        <ComparisonButtons
          inputs={recorded.data?.inputs ?? []}
          isDisabled={!isVersion}
          isBodyFaulty={fault !== undefined}
          isBusy={comparison.isPending}
          onBody={() => comparison.mutate([bodyInput(body)])}
          onInputs={comparison.mutate}
        />
        <RecordedInputsControl name={name} recorded={recorded} />
        {comparison.isError && (
          <ErrorPanel title="The versions could not be compared" error={comparison.error} />
        )}
        {comparison.data !== undefined && <ComparisonResults compared={comparison.data} />}
      </div>
    </Card>
  );
}

interface ComparisonButtonsProps {
  readonly inputs: RecordedInputs['inputs'];
  readonly isDisabled: boolean;
  readonly isBodyFaulty: boolean;
  readonly isBusy: boolean;
  readonly onBody: () => void;
  readonly onInputs: (inputs: readonly ComparisonInput[]) => void;
}

function ComparisonButtons(props: ComparisonButtonsProps) {
  const { inputs, isDisabled, isBodyFaulty, isBusy, onBody, onInputs } = props;
  return (
    <div className="flex flex-wrap gap-2">
      <Button
        kind="primary"
        icon={FlaskConical}
        disabled={isDisabled || isBodyFaulty}
        isBusy={isBusy}
        onClick={onBody}
      >
        Run both
      </Button>
      <Button
        disabled={isDisabled || inputs.length === 0 || isBusy}
        onClick={() =>
          onInputs(inputs.map(({ id, body }) => ({ text: body, wanted: { input: id } })))
        }
      >
        Run both with all recorded inputs ({inputs.length})
      </Button>
    </div>
  );
}

interface ComparisonInput {
  readonly text: string;
  readonly wanted: Pick<CodeComparison, 'body' | 'input'>;
}

function bodyInput(text: string): ComparisonInput {
  const body: unknown = text.trim() === '' ? undefined : JSON.parse(text);
  return { text, wanted: body === undefined ? {} : { body } };
}

/** One after the other: each is two runs on the server. */
async function compared(
  name: string,
  version: number,
  inputs: readonly ComparisonInput[],
): Promise<readonly ComparedInput[]> {
  const done: ComparedInput[] = [];
  for (const { text, wanted } of inputs) {
    const result: CodeComparisonResult = await client.codeHistory.compare('endpoint', name, {
      version,
      ...wanted,
    });
    done.push({ position: done.length, body: text, result });
  }
  return done;
}

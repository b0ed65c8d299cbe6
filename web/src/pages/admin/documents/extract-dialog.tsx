import { useMutation, useQuery } from '@tanstack/react-query';
import { EXTRACTION_INSTRUCTIONS_CHARACTERS_MAX } from '@trellis/contract/limits.ts';
import { EVIDENCE_EDGE, EVIDENCE_INVERSE } from '@trellis/contract/evidence.ts';
import { useState } from 'react';
import { client } from '../../../api/client.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { describeError } from '../../../ui/error-text.ts';
import { CheckboxField, SelectField, TextArea } from '../../../ui/field.tsx';
import { FormAlert } from '../../../ui/form-alert.tsx';
import { typesQuery } from '../../data/data-queries.ts';

interface ExtractDialogProps {
  readonly onClose: () => void;
  readonly onStarted: (extraction: string) => void;
}

interface Wanted {
  readonly of: string;
  readonly files: boolean;
  readonly fields: readonly string[];
  readonly types: readonly string[];
  readonly edges: readonly string[];
  readonly instructions: string;
}

const NOTHING: Wanted = {
  of: '',
  files: true,
  fields: [],
  types: [],
  edges: [],
  instructions: '',
};

/** What is read, and what is looked for. */
export function ExtractDialog({ onClose, onStarted }: ExtractDialogProps) {
  const [wanted, setWanted] = useState(NOTHING);
  const { of, files, fields, types, edges, instructions } = wanted;
  const start = useMutation({
    mutationFn: () =>
      client.documents.extract({
        types: [...types],
        edges: [...edges],
        documents: { type: of, files, fields: [...fields] },
        instructions,
      }),
    onSuccess: ({ extraction }) => {
      onStarted(extraction);
      onClose();
    },
  });
  return (
    <Dialog isOpen onClose={onClose} title="Read documents" size="wide">
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          start.mutate();
        }}
      >
        <WantedFields
          wanted={wanted}
          onChange={(change) => setWanted((before) => ({ ...before, ...change }))}
        />
        {start.isError && <FormAlert {...describeError(start.error)} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            kind="primary"
            isBusy={start.isPending}
            disabled={of === '' || types.length === 0 || (!files && fields.length === 0)}
          >
            Read
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

interface WantedFieldsProps {
  readonly wanted: Wanted;
  readonly onChange: (change: Partial<Wanted>) => void;
}

function WantedFields({ wanted, onChange }: WantedFieldsProps) {
  const { data } = useQuery(typesQuery);
  const { of, files, fields, types, edges, instructions } = wanted;
  const own = (data?.types ?? []).filter(({ type }) => !type.startsWith('_'));
  const texts = Object.entries(own.find(({ type }) => type === of)?.fields ?? {})
    .filter(([, type]) => type === 'String')
    .map(([name]) => name);
  const edgeNames = (data?.edges ?? [])
    .map(({ type }) => type)
    .filter((type) => type !== EVIDENCE_EDGE && type !== EVIDENCE_INVERSE);
  return (
    <>
      <SelectField
        label="Documents"
        hint="All nodes of this type that you see."
        value={of}
        options={[
          { value: '', label: 'Choose a type' },
          ...own.map(({ type }) => ({ value: type, label: type })),
        ]}
        onChange={({ target }) => onChange({ of: target.value, fields: [] })}
      />
      <CheckboxField
        label="Read their files"
        checked={files}
        onChange={({ target }) => onChange({ files: target.checked })}
      />
      <Choice
        legend="Read these texts of them"
        names={texts}
        chosen={fields}
        onChange={(chosen) => onChange({ fields: chosen })}
      />
      <Choice
        legend="Types to look for"
        names={own.map(({ type }) => type)}
        chosen={types}
        onChange={(chosen) => onChange({ types: chosen })}
      />
      <Choice
        legend="Edges to look for"
        names={edgeNames}
        chosen={edges}
        onChange={(chosen) => onChange({ edges: chosen })}
      />
      <TextArea
        label="Task"
        hint="What the model is told beside the schema. Leave it empty if the names say it all."
        value={instructions}
        maxLength={EXTRACTION_INSTRUCTIONS_CHARACTERS_MAX}
        onChange={({ target }) => onChange({ instructions: target.value })}
      />
    </>
  );
}

interface ChoiceProps {
  readonly legend: string;
  readonly names: readonly string[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

function Choice({ legend, names, chosen, onChange }: ChoiceProps) {
  if (names.length === 0) return null;
  return (
    <fieldset className="flex flex-wrap gap-x-4 gap-y-1">
      <legend className="mb-1 font-medium">{legend}</legend>
      {names.map((name) => (
        <CheckboxField
          key={name}
          label={name}
          checked={chosen.includes(name)}
          onChange={({ target }) =>
            onChange(target.checked ? [...chosen, name] : chosen.filter((other) => other !== name))
          }
        />
      ))}
    </fieldset>
  );
}

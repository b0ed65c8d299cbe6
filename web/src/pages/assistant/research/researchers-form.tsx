import { useQueryClient } from '@tanstack/react-query';
import {
  RESEARCH_INSTRUCTIONS_CHARACTERS_MAX,
  RESEARCHER_NAME_CHARACTERS_MAX,
  RESEARCHERS_MAX,
} from '@trellis/contract/limits.ts';
import type { Researcher } from '@trellis/contract/shapes/deep-research.ts';
import { Plus, Trash2 } from 'lucide-react';
import { useFieldArray, useForm, useFormContext } from 'react-hook-form';
import { client } from '../../../api/client.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { TextArea, TextField } from '../../../ui/field.tsx';
import { ServerForm } from '../../../ui/server-form.tsx';
import { toastDone } from '../../../ui/toast.ts';
import { researchSettingsQuery } from './research-queries.ts';

interface ResearchersText {
  researchers: { name: string; instructions: string }[];
}

interface ResearchersFormProps {
  readonly researchers: readonly Researcher[];
  readonly isAllowed: boolean;
}

/** Who works side by side on the parts of a question. */
export function ResearchersForm({ researchers, isAllowed }: ResearchersFormProps) {
  const queries = useQueryClient();
  const form = useForm<ResearchersText>({
    defaultValues: { researchers: researchers.map((one) => ({ ...one })) },
  });
  const { isDirty, isSubmitting } = form.formState;
  const { fields, append, remove } = useFieldArray({ control: form.control, name: 'researchers' });
  const save = async (text: ResearchersText) => {
    const saved = await client.deepResearch.putSettings(text);
    form.reset({ researchers: saved.researchers.map((one) => ({ ...one })) });
    queries.setQueryData(researchSettingsQuery.queryKey, saved);
    toastDone('The researchers are saved');
  };
  return (
    <Card
      title="Researchers"
      description="They work side by side, each on its parts of a question. With none, the built-in ones are used again."
    >
      <ServerForm form={form} onSend={save} isDisabled={!isAllowed}>
        {fields.map(({ id }, at) => (
          <ResearcherFields key={id} at={at} onRemove={() => remove(at)} />
        ))}
        <div className="flex flex-wrap justify-between gap-2">
          <Button
            icon={Plus}
            disabled={fields.length >= RESEARCHERS_MAX}
            onClick={() => append({ name: '', instructions: '' })}
          >
            Add a researcher
          </Button>
          <Button kind="primary" type="submit" disabled={!isDirty} isBusy={isSubmitting}>
            Save the researchers
          </Button>
        </div>
      </ServerForm>
    </Card>
  );
}

interface ResearcherFieldsProps {
  /** Its place in the list. */
  readonly at: number;
  readonly onRemove: () => void;
}

function ResearcherFields({ at, onRemove }: ResearcherFieldsProps) {
  const form = useFormContext<ResearchersText>();
  const errors = form.formState.errors.researchers?.[at];
  return (
    <div className="flex items-start gap-2 rounded-control border p-3">
      <div className="flex min-w-0 flex-1 flex-col gap-3">
        <TextField
          label={`Name of researcher ${at + 1}`}
          dir="auto"
          autoComplete="off"
          maxLength={RESEARCHER_NAME_CHARACTERS_MAX}
          error={errors?.name?.message}
          {...form.register(`researchers.${at}.name`, { required: 'Enter a name.' })}
        />
        <TextArea
          label={`Instructions of researcher ${at + 1}`}
          dir="auto"
          rows={3}
          maxLength={RESEARCH_INSTRUCTIONS_CHARACTERS_MAX}
          error={errors?.instructions?.message}
          {...form.register(`researchers.${at}.instructions`, {
            required: 'Enter what it looks for, and how.',
          })}
        />
      </div>
      <IconButton icon={Trash2} label={`Remove researcher ${at + 1}`} onClick={onRemove} />
    </div>
  );
}

import { useQueryClient } from '@tanstack/react-query';
import { ASSISTANT_INSTRUCTIONS_CHARACTERS_MAX } from '@trellis/contract/limits.ts';
import type { AssistantSettings } from '@trellis/contract/shapes/assistant.ts';
import { useForm } from 'react-hook-form';
import { client } from '../../../api/client.ts';
import { useChangePermission } from '../../../app/permissions.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { TextArea } from '../../../ui/field.tsx';
import { ServerForm } from '../../../ui/server-form.tsx';
import { toastDone } from '../../../ui/toast.ts';
import { assistantSettingsQuery } from './tool-queries.ts';

type InstructionsText = Pick<AssistantSettings, 'instructions'>;

/** What models are told of the field that the workspace is about. */
export function InstructionsForm({ instructions }: InstructionsText) {
  const permission = useChangePermission();
  const queries = useQueryClient();
  const form = useForm<InstructionsText>({ defaultValues: { instructions } });
  const { errors, isDirty, isSubmitting } = form.formState;
  const save = async (text: InstructionsText) => {
    const saved = await client.assistant.putSettings(text);
    form.reset({ instructions: saved.instructions });
    queries.setQueryData(assistantSettingsQuery.queryKey, saved);
    toastDone('The instructions are saved');
  };
  return (
    <Card
      title="Instructions for models"
      description="Models of the chat, of agents and of deep research already know the types, fields and counts that their user may see. Add what they cannot know, such as the words of your field."
    >
      <ServerForm form={form} onSend={save} isDisabled={!permission.isAllowed}>
        <TextArea
          label="Instructions"
          hint="They are not secret: a model may repeat them to its user."
          dir="auto"
          rows={10}
          maxLength={ASSISTANT_INSTRUCTIONS_CHARACTERS_MAX}
          error={errors.instructions?.message}
          {...form.register('instructions')}
        />
        <div className="flex justify-end">
          <Button kind="primary" type="submit" disabled={!isDirty} isBusy={isSubmitting}>
            Save the instructions
          </Button>
        </div>
      </ServerForm>
    </Card>
  );
}

import { useQueryClient } from '@tanstack/react-query';
import { EMBEDDING_MODEL_CHARACTERS_MAX } from '@trellis/contract/limits.ts';
import type { AiProviders, AssistantSettings } from '@trellis/contract/shapes/assistant.ts';
import { useForm } from 'react-hook-form';
import { client } from '../../../api/client.ts';
import { useChangePermission } from '../../../app/permissions.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { SelectField, TextField } from '../../../ui/field.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { ServerForm } from '../../../ui/server-form.tsx';
import { toastDone } from '../../../ui/toast.ts';
import { assistantSettingsQuery } from './tool-queries.ts';

type Providers = Pick<AiProviders, 'chat' | 'furtherChat'>;

interface JudgeFormProps {
  readonly judge: AssistantSettings['judge'];
  readonly providers: Providers;
}

interface JudgeValues {
  readonly judge: {
    /** Empty for no judge. */
    readonly provider: string;
    readonly model: string;
  };
}

/** Which model is asked whether the sentences of answers are supported by what they cite. */
export function JudgeForm({ judge, providers }: JudgeFormProps) {
  const permission = useChangePermission();
  const queries = useQueryClient();
  const form = useForm<JudgeValues>({ defaultValues: valuesOf(judge) });
  const { errors, isDirty, isSubmitting } = form.formState;
  const { provider, model } = form.watch('judge');
  const save = async ({ judge: wanted }: JudgeValues) => {
    const saved = await client.assistant.putSettings({
      judge: wanted.provider === '' ? null : wanted,
    });
    form.reset(valuesOf(saved.judge));
    queries.setQueryData(assistantSettingsQuery.queryKey, saved);
    toastDone('The judge is saved');
  };
  return (
    <Card
      title="Judge of answers"
      description="The server always compares the sentences of answers with what they cite. A judge is a model that also reads both: it finds sentences that say something else in the same words."
    >
      <ServerForm form={form} onSend={save} isDisabled={!permission.isAllowed}>
        <SelectField
          label="Provider"
          options={optionsOf(providers, provider)}
          error={errors.judge?.provider?.message}
          {...form.register('judge.provider')}
        />
        {provider !== '' && (
          <>
            <TextField
              label="Model"
              hint="Take another one than those that answer: a model agrees with itself. Users need not be allowed to ask it. Its tokens count as those of the user who asks."
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              maxLength={EMBEDDING_MODEL_CHARACTERS_MAX}
              error={errors.judge?.model?.message}
              {...form.register('judge.model', { required: 'Enter a model.' })}
            />
            {isAnswering(model.trim(), providers) && (
              <Notice tone="warning">
                “{model.trim()}” also answers. It is likely to find its own mistakes right.
              </Notice>
            )}
          </>
        )}
        <div className="flex justify-end">
          <Button kind="primary" type="submit" disabled={!isDirty} isBusy={isSubmitting}>
            Save the judge
          </Button>
        </div>
      </ServerForm>
    </Card>
  );
}

function valuesOf(judge: AssistantSettings['judge']): JudgeValues {
  return { judge: judge ?? { provider: '', model: '' } };
}

/** With the one that is set, which may have been removed since. */
function optionsOf({ chat, furtherChat }: Providers, chosen: string) {
  const names = furtherChat.map(({ name }) => name);
  const known = [...(chat === null ? [] : [chat.provider]), ...names];
  return [
    { value: '', label: 'No judge' },
    ...[...new Set([...known, chosen])]
      .filter((name) => name !== '')
      .map((name) => ({ value: name, label: names.includes(name) ? name : `${name} (chat)` })),
  ];
}

function isAnswering(model: string, { chat, furtherChat }: Providers): boolean {
  const answering = [
    chat?.model,
    ...(chat?.models ?? []),
    ...furtherChat.flatMap((one) => one.models),
  ];
  return answering.includes(model);
}

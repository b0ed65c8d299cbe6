import { useQueryClient } from '@tanstack/react-query';
import { LLM_ANSWER_TOKENS_DEFAULT, LLM_ANSWER_TOKENS_MAX } from '@trellis/contract/limits.ts';
import type { AiProviders, AiProvidersChange } from '@trellis/contract/shapes/assistant.ts';
import { Controller, useForm, type UseFormReturn } from 'react-hook-form';
import { client } from '../../../api/client.ts';
import { Button } from '../../../ui/button.tsx';
import { ChipsInput } from '../../../ui/chips-input.tsx';
import { Dialog, DialogActions } from '../../../ui/dialog.tsx';
import { SelectField, TextField } from '../../../ui/field.tsx';
import { ServerForm } from '../../../ui/server-form.tsx';
import { toastDone } from '../../../ui/toast.ts';
import { ApiKeyFields, keyChangeOf } from './api-key-fields.tsx';
import { llmStateQuery, PROTOCOLS, providersQuery } from './provider-queries.ts';
import { tokensUpTo } from './token-rules.ts';

export type FurtherProvider = AiProviders['furtherChat'][number];
type FurtherChange = NonNullable<AiProvidersChange['furtherChat']>[number];

interface ProviderText {
  name: string;
  provider: FurtherProvider['provider'];
  baseUrl: string;
  models: readonly string[];
  tokensPerAnswer: number;
  apiKey: string;
  removesKey: boolean;
}

interface FurtherProviderDialogProps {
  /** Those that there are. */
  readonly all: readonly FurtherProvider[];
  /** Undefined for a new one. */
  readonly existing?: FurtherProvider | undefined;
  readonly onClose: () => void;
}

export function FurtherProviderDialog({ all, existing, onClose }: FurtherProviderDialogProps) {
  const queries = useQueryClient();
  const form = useForm<ProviderText>({ defaultValues: textOf(existing) });
  const { isSubmitting, isDirty } = form.formState;
  const isNew = existing === undefined;
  const save = async (text: ProviderText) => {
    const change = changeOf(text);
    const others = all.map((one) => (one.name === existing?.name ? change : settingsOf(one)));
    const furtherChat = isNew ? [...others, change] : others;
    const saved = await client.aiProviders.put({ furtherChat });
    queries.setQueryData(providersQuery.queryKey, saved);
    await queries.invalidateQueries({ queryKey: llmStateQuery.queryKey });
    toastDone(isNew ? 'The provider is added' : 'The provider is changed', text.name);
    onClose();
  };
  return (
    <Dialog
      isOpen
      keepsOpen
      onClose={onClose}
      title={isNew ? 'Add provider' : `Change “${existing.name}”`}
    >
      <ServerForm form={form} onSend={save}>
        <ProviderFields form={form} isNew={isNew} taken={all.map(({ name }) => name)} />
        <ApiKeyFields form={form} isSet={existing?.hasApiKey === true} />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={!isDirty} isBusy={isSubmitting}>
            {isNew ? 'Add provider' : 'Save'}
          </Button>
        </DialogActions>
      </ServerForm>
    </Dialog>
  );
}

interface ProviderFieldsProps {
  readonly form: UseFormReturn<ProviderText>;
  readonly isNew: boolean;
  /** Names of others. */
  readonly taken: readonly string[];
}

function ProviderFields({ form, isNew, taken }: ProviderFieldsProps) {
  const { errors } = form.formState;
  return (
    <>
      {isNew && (
        <TextField
          label="Name"
          hint="For people: letters, digits, “_” and “-”."
          autoComplete="off"
          error={errors.name?.message}
          {...form.register('name', {
            required: 'Enter a name.',
            pattern: { value: /^[A-Za-z0-9_-]+$/, message: 'Letters, digits, “_” and “-” only.' },
            validate: (name) => !taken.includes(name) || 'A provider of this name exists already.',
          })}
        />
      )}
      <SelectField label="Protocol" options={PROTOCOLS} {...form.register('provider')} />
      <TextField
        label="Address"
        hint="The base URL of the API, such as http://127.0.0.1:11434/v1"
        autoComplete="off"
        error={errors.baseUrl?.message}
        {...form.register('baseUrl', { required: 'Enter the address.' })}
      />
      <Controller
        control={form.control}
        name="models"
        rules={{ validate: (models) => models.length > 0 || 'Enter at least one model.' }}
        render={({ field, fieldState }) => (
          <ChipsInput
            label="Models"
            hint="Models that no other provider has. Press Enter to add one."
            values={field.value}
            onChange={field.onChange}
            error={fieldState.error?.message}
          />
        )}
      />
      <TextField
        label="Tokens of an answer"
        hint="At most; a larger request is lowered to it."
        type="number"
        inputMode="numeric"
        error={errors.tokensPerAnswer?.message}
        {...form.register('tokensPerAnswer', tokensUpTo(LLM_ANSWER_TOKENS_MAX))}
      />
    </>
  );
}

function textOf(existing: FurtherProvider | undefined): ProviderText {
  return {
    name: existing?.name ?? '',
    provider: existing?.provider ?? 'openai-compatible',
    baseUrl: existing?.baseUrl ?? '',
    models: existing?.models ?? [],
    tokensPerAnswer: existing?.tokensPerAnswer ?? LLM_ANSWER_TOKENS_DEFAULT,
    apiKey: '',
    removesKey: false,
  };
}

function changeOf({ apiKey, removesKey, ...settings }: ProviderText): FurtherChange {
  return { ...settings, ...keyChangeOf({ apiKey, removesKey }) };
}

/** As it is: its key stays. */
export function settingsOf({ hasApiKey: _hasApiKey, ...settings }: FurtherProvider): FurtherChange {
  return settings;
}

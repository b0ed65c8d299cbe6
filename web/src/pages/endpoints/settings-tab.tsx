import { TrellisError } from '@trellis/client/trellis-error.ts';
import {
  ENDPOINT_CACHE_SECONDS_MAX,
  ENDPOINT_CONCURRENT_MAX,
  ENDPOINT_QUEUED_MAX,
  ENDPOINT_TIMEOUT_MAX_MS,
} from '@trellis/contract/limits.ts';
import type { EndpointDefinition } from '@trellis/contract/shapes/endpoint.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useForm, type UseFormReturn } from 'react-hook-form';
import { client } from '../../api/client.ts';
import { useChangePermission } from '../../app/permissions.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CheckboxField, SelectField, TextArea, TextField } from '../../ui/field.tsx';
import { ServerForm } from '../../ui/server-form.tsx';
import { toastDone } from '../../ui/toast.ts';
import { endpointQuery, isBuiltIn, rememberEndpoint } from './endpoint-queries.ts';
import { ACCESS_OPTIONS, MODE_OPTIONS } from './endpoint-setting-options.ts';
import type { EndpointDraft } from './use-endpoint-draft.ts';

type Settings = Pick<
  EndpointDefinition,
  | 'description'
  | 'mode'
  | 'access'
  | 'cacheSeconds'
  | 'runAsAdmin'
  | 'timeoutMs'
  | 'maxConcurrent'
  | 'maxQueued'
>;
type SettingsForm = UseFormReturn<Settings>;

interface SettingsTabProps {
  readonly definition: EndpointDefinition;
  readonly draft: EndpointDraft;
}

/**
 * What an administrator decides about an endpoint, beside its code and Read Only. Only what was
 * changed is sent.
 */
export function SettingsTab({ definition, draft }: SettingsTabProps) {
  const { name } = definition;
  const queries = useQueryClient();
  const permission = useChangePermission();
  // Values that nobody has touched follow the endpoint.
  const form: SettingsForm = useForm<Settings>({
    values: settingsOf(definition),
    resetOptions: { keepDirtyValues: true, keepErrors: true },
  });
  const { isSubmitting, isDirty, dirtyFields } = form.formState;
  const save = async (values: Settings) => {
    const { version } = definition;
    const names = Object.keys(dirtyFields);
    const changed = Object.entries(values).filter(([field]) => names.includes(field));
    try {
      const saved = await client.endpoints.put(name, { ...Object.fromEntries(changed), version });
      draft.saved(saved, version);
      form.reset(settingsOf(saved));
      await rememberEndpoint(queries, saved);
      toastDone('The settings are saved', `Version ${saved.version}`);
    } catch (error) {
      if (!isConflict(error)) throw error;
      await queries.invalidateQueries({ queryKey: endpointQuery(name).queryKey });
      form.setError('root', {
        message:
          'Somebody else has changed this endpoint meanwhile. Your input is kept: save again to replace theirs.',
      });
    }
  };
  const isLocked = !permission.isAllowed || isBuiltIn(name);
  return (
    <Card>
      <ServerForm
        form={form}
        onSend={save}
        label={`Settings of ${name}`}
        isDisabled={isLocked}
        className="max-w-3xl"
      >
        <SettingFields form={form} />
        <div>
          <Button kind="primary" type="submit" isBusy={isSubmitting} disabled={!isDirty}>
            Save settings
          </Button>
        </div>
      </ServerForm>
    </Card>
  );
}

function SettingFields({ form }: { readonly form: SettingsForm }) {
  const { errors } = form.formState;
  return (
    <>
      <TextArea
        label="Description"
        rows={3}
        dir="auto"
        error={errors.description?.message}
        {...form.register('description')}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField label="Mode" options={MODE_OPTIONS} {...form.register('mode')} />
        <SelectField
          label="Who may call it"
          options={ACCESS_OPTIONS}
          {...form.register('access')}
        />
      </div>
      <LimitFields form={form} />
      <CheckboxField
        label="Runs as an administrator"
        hint="Queries limited by asUser() see everything, whoever calls."
        {...form.register('runAsAdmin')}
      />
    </>
  );
}

interface Limit {
  readonly field: 'timeoutMs' | 'cacheSeconds' | 'maxConcurrent' | 'maxQueued';
  readonly label: string;
  readonly hint: string;
  readonly min: number;
  readonly max: number;
}

const LIMITS: readonly Limit[] = [
  {
    field: 'timeoutMs',
    label: 'Time limit, in milliseconds',
    hint: 'A run that takes longer is ended.',
    min: 1,
    max: ENDPOINT_TIMEOUT_MAX_MS,
  },
  {
    field: 'cacheSeconds',
    label: 'Cache answers, in seconds',
    hint: 'For the same caller and body. 0 caches none.',
    min: 0,
    max: ENDPOINT_CACHE_SECONDS_MAX,
  },
  {
    field: 'maxConcurrent',
    label: 'Runs at a time',
    hint: 'On each server. 0 sets no limit.',
    min: 0,
    max: ENDPOINT_CONCURRENT_MAX,
  },
  {
    field: 'maxQueued',
    label: 'Calls that wait',
    hint: 'For a run to end; more are refused.',
    min: 0,
    max: ENDPOINT_QUEUED_MAX,
  },
];

function LimitFields({ form }: { readonly form: SettingsForm }) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {LIMITS.map(({ field, label, hint, min, max }) => (
        <TextField
          key={field}
          label={label}
          hint={hint}
          type="number"
          inputMode="numeric"
          error={form.formState.errors[field]?.message}
          {...form.register(field, {
            valueAsNumber: true,
            validate: (value) =>
              (Number.isInteger(value) && value >= min && value <= max) ||
              `Enter a whole number from ${min} to ${max}.`,
          })}
        />
      ))}
    </div>
  );
}

function settingsOf(definition: EndpointDefinition): Settings {
  return {
    description: definition.description,
    mode: definition.mode,
    access: definition.access,
    cacheSeconds: definition.cacheSeconds,
    runAsAdmin: definition.runAsAdmin,
    timeoutMs: definition.timeoutMs,
    maxConcurrent: definition.maxConcurrent,
    maxQueued: definition.maxQueued,
  };
}

function isConflict(error: unknown): boolean {
  return error instanceof TrellisError && error.code === 'version_conflict';
}

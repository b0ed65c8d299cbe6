import { useQuery, useQueryClient } from '@tanstack/react-query';
import {
  type Webhook,
  type WebhookAction,
  webhookAction,
  type WebhookWithSecret,
} from '@trellis/contract/shapes/webhook.ts';
import { useForm, type UseFormReturn } from 'react-hook-form';
import { client } from '../../../api/client.ts';
import { SETTING_FIELDS } from '../../../app/setting-fields.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog, DialogActions } from '../../../ui/dialog.tsx';
import { CheckboxField, SelectField, TextField } from '../../../ui/field.tsx';
import { PrincipalsField } from '../../../ui/principals-field.tsx';
import { ServerForm } from '../../../ui/server-form.tsx';
import { toastDone } from '../../../ui/toast.ts';
import { isOwnType, schemaQuery } from '../../content/schema.ts';
import { TypesField } from './types-field.tsx';
import { WEBHOOKS_KEY } from './webhook-queries.ts';

interface WebhookDialogProps {
  /** Null for a new one. */
  readonly webhook: Webhook | null;
  readonly onCreated: (webhook: WebhookWithSecret) => void;
  readonly onClose: () => void;
}

interface WebhookValues {
  name: string;
  url: string;
  types: readonly string[];
  edges: readonly string[];
  actions: WebhookAction[];
  asUser: readonly string[];
  payload: 'full' | 'ids';
}

const DIRTY = { shouldDirty: true } as const;

/** What is told, where to, and as whom. */
export function WebhookDialog({ webhook, onCreated, onClose }: WebhookDialogProps) {
  const queries = useQueryClient();
  const form = useForm<WebhookValues>({
    defaultValues: {
      name: webhook?.name ?? '',
      url: webhook?.url ?? '',
      types: webhook?.types ?? [],
      edges: webhook?.edges ?? [],
      actions: [...(webhook?.actions ?? [])],
      asUser: [webhook?.asUser ?? []].flat(),
      payload: webhook?.payload ?? 'full',
    },
  });
  const { errors, isSubmitting } = form.formState;
  const send = async (values: WebhookValues) => {
    const change = { ...changeOf(values), enabled: webhook?.enabled ?? true };
    const made = webhook === null ? await client.webhooks.create(change) : undefined;
    if (webhook !== null) await client.webhooks.update(webhook.id, change);
    await queries.invalidateQueries({ queryKey: WEBHOOKS_KEY });
    if (made === undefined) toastDone('The webhook is changed', values.name);
    else onCreated(made);
    onClose();
  };
  return (
    <Dialog
      isOpen
      keepsOpen
      onClose={onClose}
      title={webhook === null ? 'Add webhook' : `Change “${webhook.name}”`}
      description="Each commit is one request, in order, signed as Standard Webhooks has it."
    >
      <ServerForm form={form} onSend={send}>
        <TextField
          label="Name"
          hint="What it is for, so that you find it again."
          dir="auto"
          error={errors.name?.message}
          {...form.register('name', { validate: (name) => name.trim() !== '' || 'Enter a name.' })}
        />
        <TextField
          label="Address"
          type="url"
          hint={`Its origin has to be in “${SETTING_FIELDS.fetchAllowList.label}” of the workspace settings.`}
          placeholder="https://crm.example.com/changes"
          error={errors.url?.message}
          {...form.register('url', {
            validate: (url) => URL.canParse(url) || 'Enter an address.',
          })}
        />
        <ChoiceFields form={form} />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={isSubmitting}>
            {webhook === null ? 'Add webhook' : 'Save'}
          </Button>
        </DialogActions>
      </ServerForm>
    </Dialog>
  );
}

function changeOf({ name, url, types, edges, actions, asUser, payload }: WebhookValues) {
  const chosen = <T,>(values: readonly T[]) => (values.length === 0 ? null : [...values]);
  return {
    name,
    url,
    payload,
    types: chosen(types),
    edges: chosen(edges),
    actions: chosen(actions),
    asUser: asUser[0] ?? null,
  };
}

function ChoiceFields({ form }: { readonly form: UseFormReturn<WebhookValues> }) {
  const schema = useQuery(schemaQuery).data;
  const { errors } = form.formState;
  const isTold = (type: string) => !isOwnType(type) && !type.startsWith('RestrictAccessTo');
  const typesOf = (all: readonly { readonly type: string }[] = []) =>
    all.map(({ type }) => type).filter(isTold);
  return (
    <>
      <TypesField
        label="Node types"
        hint="With neither node types nor edge types, all changes are told."
        types={typesOf(schema?.nodes)}
        values={form.watch('types')}
        onChange={(types) => form.setValue('types', types, DIRTY)}
        error={errors.types?.message}
      />
      <TypesField
        label="Edge types"
        hint="Connections that are told of."
        types={typesOf(schema?.edges)}
        values={form.watch('edges')}
        onChange={(edges) => form.setValue('edges', edges, DIRTY)}
        error={errors.edges?.message}
      />
      <fieldset>
        <legend className="mb-1 font-medium">What happens</legend>
        <p className="mb-1 text-[13px] text-muted">Choose none for anything.</p>
        <div className="flex flex-wrap gap-x-4 gap-y-2">
          {webhookAction.options.map((action) => (
            <CheckboxField
              key={action}
              label={action}
              value={action}
              {...form.register('actions')}
            />
          ))}
        </div>
        {errors.actions?.message !== undefined && (
          <p className="text-[13px] text-danger">{errors.actions.message}</p>
        )}
      </fieldset>
      <PrincipalsField
        label="As the user"
        hint="Only what this user may see is told. Leave it empty to tell everything."
        kind="user"
        isSingle
        value={form.watch('asUser')}
        onChange={(asUser) => form.setValue('asUser', asUser, DIRTY)}
        error={errors.asUser?.message}
      />
      <SelectField
        label="Payload"
        options={[
          { value: 'full', label: 'Nodes with their fields' },
          { value: 'ids', label: 'Ids alone' },
        ]}
        {...form.register('payload')}
      />
    </>
  );
}

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useForm, type UseFormReturn } from 'react-hook-form';
import { client } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { CheckboxField, SelectField, TextArea, TextField } from '../../ui/field.tsx';
import { ServerForm } from '../../ui/server-form.tsx';
import { toastDone } from '../../ui/toast.ts';
import { rememberEndpoint } from './endpoint-queries.ts';
import { ACCESS_OPTIONS, MODE_OPTIONS } from './endpoint-setting-options.ts';
import { templatesOf } from './endpoint-templates.ts';

/** The form of a name (open-shapes, section 5): the server says so too, less readably. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*(?:\/[A-Za-z0-9][A-Za-z0-9._-]*)*$/;

export function NewEndpointDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog
      isOpen
      keepsOpen
      onClose={onClose}
      title="New endpoint"
      description="It is called by its name, as soon as its code compiles."
    >
      <NewEndpointForm onClose={onClose} />
    </Dialog>
  );
}

const EMPTY = {
  name: '',
  description: '',
  template: 'answer',
  mode: 'sync' as 'sync' | 'pooling',
  access: 'users' as 'users' | 'admins',
  isReadOnly: true,
};

function NewEndpointForm({ onClose }: { readonly onClose: () => void }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const schema = useQuery({
    queryKey: ['schema'],
    queryFn: ({ signal }) => client.schema.get({ signal }),
  });
  const templates = templatesOf(schema.data?.nodes.map(({ type }) => type) ?? []);
  const form = useForm({ defaultValues: EMPTY });
  const { isSubmitting } = form.formState;
  const create = async ({ template, ...settings }: typeof EMPTY) => {
    const code = templates.find(({ id }) => id === template)?.code ?? '';
    const created = await client.endpoints.create({ ...settings, code });
    await rememberEndpoint(queries, created);
    toastDone('The endpoint is created', created.name);
    void navigate({ to: '/endpoints/edit/$', params: { _splat: created.name } });
  };
  return (
    <ServerForm form={form} onSend={create}>
      <NameFields form={form} />
      <SelectField
        label="Begin with"
        options={templates.map(({ id, label }) => ({ value: id, label }))}
        {...form.register('template')}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField label="Mode" options={MODE_OPTIONS} {...form.register('mode')} />
        <SelectField
          label="Who may call it"
          options={ACCESS_OPTIONS}
          {...form.register('access')}
        />
      </div>
      <CheckboxField
        label="Read-only"
        hint="It cannot change the graph, and replicas run it too."
        {...form.register('isReadOnly')}
      />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" type="submit" isBusy={isSubmitting}>
          Create endpoint
        </Button>
      </DialogActions>
    </ServerForm>
  );
}

function NameFields({ form }: { readonly form: UseFormReturn<typeof EMPTY> }) {
  const { errors } = form.formState;
  return (
    <>
      <TextField
        label="Name"
        hint="Letters, digits, “.”, “_” and “-”; “/” puts it into a folder, such as reports/monthly."
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        error={errors.name?.message}
        {...form.register('name', {
          setValueAs: (name: string) => name.trim(),
          validate: (name) =>
            NAME.test(name) ||
            'Enter a name of letters, digits, “.”, “_” and “-”, with “/” between folders.',
        })}
      />
      <TextArea
        label="Description"
        rows={2}
        error={errors.description?.message}
        {...form.register('description')}
      />
    </>
  );
}

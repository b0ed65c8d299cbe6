import { useQueryClient } from '@tanstack/react-query';
import { useForm, type UseFormReturn } from 'react-hook-form';
import type { SecretRecord } from '@trellis/contract/shapes/secret.ts';
import { client } from '../../../api/client.ts';
import { Button } from '../../../ui/button.tsx';
import { ChipsInput } from '../../../ui/chips-input.tsx';
import { Dialog, DialogActions } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import { ServerForm } from '../../../ui/server-form.tsx';
import { toastDone } from '../../../ui/toast.ts';
import { secretsQuery } from './secret-queries.ts';

interface SecretDialogProps {
  /** Null for a new one. */
  readonly secret: SecretRecord | null;
  readonly onClose: () => void;
}

interface SecretValues {
  name: string;
  value: string;
  hosts: readonly string[];
  endpoints: readonly string[];
}

/** The server says so too, less readably. */
const NAME = /^[A-Z][A-Z0-9_]*$/;
const DIRTY = { shouldDirty: true } as const;

/** All of a secret is set at once: a value is not sent to a host that was added without it. */
export function SecretDialog({ secret, onClose }: SecretDialogProps) {
  const queries = useQueryClient();
  const form = useForm<SecretValues>({
    defaultValues: {
      name: secret?.name ?? '',
      value: '',
      hosts: secret?.hosts ?? [],
      endpoints: secret?.endpoints ?? [],
    },
  });
  const { errors, isSubmitting } = form.formState;
  const send = async ({ name, value, hosts, endpoints }: SecretValues) => {
    const rules = { hosts, ...(endpoints.length > 0 && { endpoints }) };
    await client.secrets.put(secret?.name ?? name.trim(), { value, ...rules });
    await queries.invalidateQueries(secretsQuery);
    toastDone('The secret is set', secret?.name ?? name.trim());
    onClose();
  };
  return (
    <Dialog
      isOpen
      keepsOpen
      onClose={onClose}
      title={secret === null ? 'Add secret' : `Set ${secret.name} again`}
      description={
        secret === null
          ? 'Code names it, and the server puts the value into the header of a request.'
          : 'From the next request on, endpoints send the new value. Nothing is deployed.'
      }
    >
      <ServerForm form={form} onSend={send}>
        {secret === null && (
          <TextField
            label="Name"
            hint="As code writes it: capital letters, digits and “_”, such as CRM_KEY."
            autoComplete="off"
            spellCheck={false}
            error={errors.name?.message}
            {...form.register('name', {
              validate: (name) => NAME.test(name.trim()) || 'Use capital letters, digits and “_”.',
            })}
          />
        )}
        <RuleFields form={form} />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={isSubmitting}>
            Set secret
          </Button>
        </DialogActions>
      </ServerForm>
    </Dialog>
  );
}

function RuleFields({ form }: { readonly form: UseFormReturn<SecretValues> }) {
  const { errors } = form.formState;
  return (
    <>
      <TextField
        label="Value"
        type="password"
        autoComplete="new-password"
        hint="One line, at least 8 characters. It is stored encrypted, and never shown."
        error={errors.value?.message}
        {...form.register('value', { validate: (value) => value !== '' || 'Enter the value.' })}
      />
      <ChipsInput
        label="Hosts"
        hint="It is sent to these, and to no others: by https, but to this machine itself."
        placeholder="api.example.com"
        values={form.watch('hosts')}
        onChange={(hosts) => form.setValue('hosts', hosts, DIRTY)}
        error={errors.hosts?.message}
      />
      <ChipsInput
        label="Endpoints"
        hint="Whose code may use it. Leave it empty for all endpoints."
        placeholder="crm/sync"
        values={form.watch('endpoints')}
        onChange={(endpoints) => form.setValue('endpoints', endpoints, DIRTY)}
        error={errors.endpoints?.message}
      />
    </>
  );
}

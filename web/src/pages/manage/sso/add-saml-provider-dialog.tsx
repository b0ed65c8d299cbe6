import { useQueryClient } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import { client } from '../../../api/client.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog, DialogActions } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import { ServerForm } from '../../../ui/server-form.tsx';
import { toastDone } from '../../../ui/toast.ts';
import { samlQuery } from './saml-query.ts';

/** As in paths and settings (specification, section 4.2). */
const NAME = /^[A-Za-z\d][A-Za-z\d-]{0,39}$/;

interface AddSamlProviderDialogProps {
  readonly taken: readonly string[];
  readonly onClose: () => void;
}

export function AddSamlProviderDialog({ taken, onClose }: AddSamlProviderDialogProps) {
  const queries = useQueryClient();
  const form = useForm({ defaultValues: { name: '' } });
  const { errors, isSubmitting } = form.formState;
  const add = async ({ name }: { readonly name: string }) => {
    const saved = await client.sso.setSamlConfig({ providers: { [name]: {} } });
    queries.setQueryData(samlQuery.queryKey, saved);
    toastDone('The provider is added', name);
    onClose();
  };
  return (
    <Dialog isOpen keepsOpen onClose={onClose} title="Add SAML provider">
      <ServerForm form={form} onSend={add}>
        <TextField
          label="Name"
          hint="The sign-in page shows it. Letters, digits and “-”."
          autoComplete="off"
          error={errors.name?.message}
          {...form.register('name', {
            pattern: { value: NAME, message: 'Use 1 to 40 letters, digits and “-”.' },
            required: 'Enter a name.',
            validate: (name) => !taken.includes(name) || 'A provider of this name exists already.',
          })}
        />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={isSubmitting}>
            Add provider
          </Button>
        </DialogActions>
      </ServerForm>
    </Dialog>
  );
}

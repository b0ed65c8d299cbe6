import { useQueryClient } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import { client } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { ServerForm } from '../../ui/server-form.tsx';
import { toastDone } from '../../ui/toast.ts';
import { interfacesQuery } from './interfaces.ts';

interface UploadText {
  readonly name: string;
  readonly archive: FileList | undefined;
}

export function InterfaceUpload({ onClose }: { readonly onClose: () => void }) {
  const queries = useQueryClient();
  const form = useForm<UploadText>({ defaultValues: { name: '', archive: undefined } });
  const { errors, isSubmitting } = form.formState;
  const upload = async ({ name, archive }: UploadText) => {
    const file = archive?.item(0);
    if (file === null || file === undefined) return;
    await client.interfaces.put(name, file);
    toastDone(`“${name}” is uploaded`);
    onClose();
    await queries.invalidateQueries({ queryKey: interfacesQuery.queryKey });
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Upload an interface"
      description="A zip of a built front end, with index.html at its root. It replaces an interface of the same name."
    >
      <ServerForm form={form} onSend={upload}>
        <TextField
          label="Name"
          error={errors.name?.message}
          {...form.register('name', { required: 'Enter a name.' })}
        />
        <TextField
          label="Zip file"
          type="file"
          accept=".zip,application/zip"
          error={errors.archive?.message}
          {...form.register('archive', {
            validate: (files) => (files?.length ?? 0) > 0 || 'Choose a file.',
          })}
        />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={isSubmitting}>
            Upload
          </Button>
        </DialogActions>
      </ServerForm>
    </Dialog>
  );
}

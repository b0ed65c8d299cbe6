import { TASK_NAME_CHARACTERS_MAX } from '@trellis/contract/limits.ts';
import type { Migration } from '@trellis/contract/shapes/migration.ts';
import { useForm } from 'react-hook-form';
import { client } from '../../../api/client.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog, DialogActions } from '../../../ui/dialog.tsx';
import { CheckboxField, TextField } from '../../../ui/field.tsx';
import { ServerForm } from '../../../ui/server-form.tsx';
import { toastDone } from '../../../ui/toast.ts';
import { CodeField } from '../code-field.tsx';

const TEMPLATE = `export default async function ({ graph, q, log, progress, signal }: Scope) {
  log.info('done');
}
`;

interface MigrationDialogProps {
  readonly existing: Migration | undefined;
  readonly onSaved: () => Promise<void>;
  readonly onClose: () => void;
}

/** Its settings and its code, checked as that of endpoints is; and what it logged last. */
export function MigrationDialog({ existing, onSaved, onClose }: MigrationDialogProps) {
  const { name = '', code = TEMPLATE, runOnStartup = false } = existing ?? {};
  const form = useForm({ defaultValues: { name, code, runOnStartup } });
  const save = async ({
    name: given,
    ...settings
  }: typeof form.formState.defaultValues & object) => {
    const { code: text = '', runOnStartup: runs = false } = settings;
    const change = { code: text, runOnStartup: runs };
    if (existing === undefined) await client.migrations.create({ name: given ?? '', ...change });
    else await client.migrations.put(existing.name, change);
    await onSaved();
    toastDone('The migration is saved', given ?? '');
    onClose();
  };
  return (
    <Dialog
      isOpen
      keepsOpen
      size="wide"
      onClose={onClose}
      title={existing === undefined ? 'Add migration' : `Migration “${existing.name}”`}
    >
      <ServerForm form={form} onSend={save}>
        {existing === undefined && (
          <TextField
            label="Name"
            hint="Migrations run in the order of their names."
            autoComplete="off"
            maxLength={TASK_NAME_CHARACTERS_MAX}
            error={form.formState.errors.name?.message}
            {...form.register('name', { required: 'Give it a name.' })}
          />
        )}
        <CheckboxField
          label="Run at the next start of the server"
          {...form.register('runOnStartup')}
        />
        <CodeField label="Code of the migration" isLocked={existing?.status === 'running'} />
        {existing !== undefined && <LastLog log={existing.log} />}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={form.formState.isSubmitting}>
            Save
          </Button>
        </DialogActions>
      </ServerForm>
    </Dialog>
  );
}

function LastLog({ log }: Pick<Migration, 'log'>) {
  if (log.length === 0) return null;
  return (
    <pre
      aria-label="What it logged last"
      tabIndex={0}
      className="max-h-40 overflow-auto rounded-control border bg-sunken p-2 font-mono text-xs"
    >
      {log.map(({ text }) => text).join('\n')}
    </pre>
  );
}

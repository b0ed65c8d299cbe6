import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Connector } from '@trellis/contract/shapes/connector.ts';
import { useForm } from 'react-hook-form';
import { client } from '../../../api/client.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog, DialogActions } from '../../../ui/dialog.tsx';
import { SelectField, TextField } from '../../../ui/field.tsx';
import { ServerForm } from '../../../ui/server-form.tsx';
import { toastDone, toastError } from '../../../ui/toast.ts';
import { CONNECTORS_KEY } from './connector-queries.ts';
import {
  changeOf,
  type ConnectorValues,
  KIND_NAMES,
  secretOf,
  sourceOf,
  valuesOf,
} from './connector-values.ts';
import { SourceFields } from './source-fields.tsx';

interface ConnectorDialogProps {
  /** Null for a new one. */
  readonly connector: Connector | null;
  readonly onClose: () => void;
}

/** Where the data comes from, what becomes of it, and when. */
export function ConnectorDialog({ connector, onClose }: ConnectorDialogProps) {
  const queries = useQueryClient();
  const form = useForm<ConnectorValues>({ defaultValues: valuesOf(connector) });
  const { errors, isSubmitting } = form.formState;
  const send = async (values: ConnectorValues) => {
    const change = { ...changeOf(values), enabled: connector?.enabled ?? true };
    if (connector === null) await client.connectors.create(change);
    else await client.connectors.update(connector.id, change);
    await queries.invalidateQueries({ queryKey: CONNECTORS_KEY });
    toastDone(`The connector is ${connector === null ? 'added' : 'changed'}`, values.name);
    onClose();
  };
  return (
    <Dialog
      isOpen
      keepsOpen
      onClose={onClose}
      title={connector === null ? 'Add connector' : `Change “${connector.name}”`}
      description="The server reads the source by itself, and brings what has changed."
    >
      <ServerForm form={form} onSend={send}>
        <TextField
          label="Name"
          dir="auto"
          error={errors.name?.message}
          {...form.register('name', { validate: (name) => name.trim() !== '' || 'Enter a name.' })}
        />
        <SelectField
          label="Kind"
          options={Object.entries(KIND_NAMES).map(([value, label]) => ({ value, label }))}
          {...form.register('kind')}
        />
        <SourceFields form={form} hasSecret={connector?.hasSecret ?? false} />
        <TextField
          label="Schedule"
          hint="Minute, hour, day of the month, month, day of the week; or @daily and the like. Leave it empty to run it by hand."
          autoComplete="off"
          spellCheck={false}
          isCode
          error={errors.schedule?.cron?.message}
          {...form.register('schedule.cron')}
        />
        <TextField
          label="Time zone"
          autoComplete="off"
          spellCheck={false}
          error={errors.schedule?.timeZone?.message}
          {...form.register('schedule.timeZone')}
        />
        <DialogActions>
          <TestButton connector={connector} values={() => form.getValues()} />
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={isSubmitting}>
            {connector === null ? 'Add connector' : 'Save'}
          </Button>
        </DialogActions>
      </ServerForm>
    </Dialog>
  );
}

interface TestButtonProps {
  readonly connector: Connector | null;
  readonly values: () => ConnectorValues;
}

/** Tries what the form says, before it is saved. */
function TestButton({ connector, values }: TestButtonProps) {
  const test = useMutation({
    mutationFn: () => {
      const given = values();
      const id = connector === null ? {} : { id: connector.id };
      return client.connectors.test({ source: sourceOf(given), ...secretOf(given), ...id });
    },
    onSuccess: ({ isReachable, message }) => {
      if (isReachable) toastDone('The source answers', message);
      else toastError('The source cannot be read', new Error(message));
    },
    onError: (error) => toastError('The source was not tried', error),
  });
  return (
    <Button isBusy={test.isPending} onClick={() => test.mutate()}>
      Test connection
    </Button>
  );
}

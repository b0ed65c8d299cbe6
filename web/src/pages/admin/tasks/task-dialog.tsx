import { useQueryClient } from '@tanstack/react-query';
import { TASK_NAME_CHARACTERS_MAX } from '@trellis/contract/limits.ts';
import type { Task } from '@trellis/contract/shapes/task.ts';
import { useForm } from 'react-hook-form';
import { client } from '../../../api/client.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog, DialogActions } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import { ServerForm } from '../../../ui/server-form.tsx';
import { toastDone } from '../../../ui/toast.ts';
import { TaskFields } from './task-fields.tsx';
import { TASKS_KEY } from './task-queries.ts';
import { settingsOf, type TaskValues, valuesOf } from './task-values.ts';

interface TaskDialogProps {
  /** Undefined for a new one. */
  readonly existing?: Task;
  readonly onClose: () => void;
}

export function TaskDialog({ existing, onClose }: TaskDialogProps) {
  const queries = useQueryClient();
  const form = useForm<TaskValues>({ defaultValues: valuesOf(existing) });
  const { errors, isSubmitting } = form.formState;
  const save = async (values: TaskValues) => {
    const settings = settingsOf(values);
    if (existing === undefined) await client.tasks.create({ name: values.name, ...settings });
    else await client.tasks.put(existing.name, settings);
    await queries.invalidateQueries({ queryKey: TASKS_KEY });
    toastDone(existing === undefined ? 'The task is added' : 'The task is changed', values.name);
    onClose();
  };
  const title = existing === undefined ? 'Add task' : `Change “${existing.name}”`;
  return (
    <Dialog isOpen keepsOpen onClose={onClose} title={title}>
      <ServerForm form={form} onSend={save}>
        {existing === undefined && (
          <TextField
            label="Name"
            autoComplete="off"
            maxLength={TASK_NAME_CHARACTERS_MAX}
            error={errors.name?.message}
            {...form.register('name', { required: 'Give it a name.' })}
          />
        )}
        <TaskFields form={form} />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={isSubmitting}>
            {existing === undefined ? 'Add task' : 'Save'}
          </Button>
        </DialogActions>
      </ServerForm>
    </Dialog>
  );
}

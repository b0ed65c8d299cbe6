import { useQueryClient } from '@tanstack/react-query';
import {
  TOOL_DESCRIPTION_CHARACTERS_MAX,
  TOOL_NAME_CHARACTERS_MAX,
} from '@trellis/contract/limits.ts';
import type { ToolDefinition } from '@trellis/contract/shapes/tool.ts';
import { Controller, useForm, type UseFormReturn } from 'react-hook-form';
import { client } from '../../../api/client.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog, DialogActions } from '../../../ui/dialog.tsx';
import { CheckboxField, SelectField, TextArea, TextField } from '../../../ui/field.tsx';
import { ServerForm } from '../../../ui/server-form.tsx';
import { toastDone } from '../../../ui/toast.ts';
import { EndpointPicker } from './endpoint-picker.tsx';
import { TOOLS_KEY } from './tool-queries.ts';

type ToolForm = Pick<ToolDefinition, 'name' | 'description' | 'endpoint' | 'access' | 'enabled'>;

const EMPTY: ToolForm = {
  name: '',
  description: '',
  endpoint: '',
  access: 'users',
  enabled: true,
};

/** The form of a name (contract, shapes/tool.ts): the server says so too, less readably. */
const NAME = /^[A-Za-z0-9_-]+$/;

interface ToolDialogProps {
  /** Undefined for a new one. */
  readonly existing?: ToolDefinition;
  readonly onClose: () => void;
}

export function ToolDialog({ existing, onClose }: ToolDialogProps) {
  const queries = useQueryClient();
  const form = useForm<ToolForm>({ defaultValues: existing ?? EMPTY });
  const { isSubmitting, isDirty } = form.formState;
  const save = async ({ name, description, endpoint, access, enabled }: ToolForm) => {
    const settings = { description, endpoint, access, enabled };
    if (existing === undefined) await client.tools.create({ name, ...settings });
    else await client.tools.put(existing.name, settings);
    await queries.invalidateQueries({ queryKey: TOOLS_KEY });
    toastDone(existing === undefined ? 'The tool is added' : 'The tool is changed', name);
    onClose();
  };
  return (
    <Dialog
      isOpen
      keepsOpen
      onClose={onClose}
      title={existing === undefined ? 'Add tool' : `Change “${existing.name}”`}
    >
      <ServerForm form={form} onSend={save}>
        <ToolFields form={form} isNew={existing === undefined} />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={!isDirty} isBusy={isSubmitting}>
            {existing === undefined ? 'Add tool' : 'Save'}
          </Button>
        </DialogActions>
      </ServerForm>
    </Dialog>
  );
}

interface ToolFieldsProps {
  readonly form: UseFormReturn<ToolForm>;
  readonly isNew: boolean;
}

function ToolFields({ form, isNew }: ToolFieldsProps) {
  const { errors } = form.formState;
  return (
    <>
      {isNew && (
        <TextField
          label="Name"
          hint="What models call it by: letters, digits, “_” and “-”."
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={TOOL_NAME_CHARACTERS_MAX}
          error={errors.name?.message}
          {...form.register('name', {
            validate: (name) => NAME.test(name) || 'Enter letters, digits, “_” and “-”.',
          })}
        />
      )}
      <TextArea
        label="Description"
        hint="For the model: what it does, and when to call it."
        dir="auto"
        maxLength={TOOL_DESCRIPTION_CHARACTERS_MAX}
        error={errors.description?.message}
        {...form.register('description', {
          validate: (text) => text.trim() !== '' || 'Say what the tool does.',
        })}
      />
      <Controller
        control={form.control}
        name="endpoint"
        rules={{ required: 'Choose an endpoint.' }}
        render={({ field, fieldState }) => (
          <EndpointPicker
            hint="It runs when a model calls the tool, as the user who asks."
            value={field.value}
            onChange={field.onChange}
            error={fieldState.error?.message}
          />
        )}
      />
      <SelectField
        label="Offered to"
        hint="Of those who may run the endpoint."
        options={[
          { value: 'users', label: 'Users' },
          { value: 'admins', label: 'Administrators only' },
        ]}
        {...form.register('access')}
      />
      <CheckboxField
        label="Offered"
        hint="Otherwise the tool is kept, but no model is offered it."
        {...form.register('enabled')}
      />
    </>
  );
}

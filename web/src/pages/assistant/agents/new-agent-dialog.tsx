import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { TOOL_NAME_CHARACTERS_MAX } from '@trellis/contract/limits.ts';
import { useForm } from 'react-hook-form';
import { client } from '../../../api/client.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog, DialogActions } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import { ServerForm } from '../../../ui/server-form.tsx';
import { toastDone } from '../../../ui/toast.ts';
import { AgentFields } from './agent-fields.tsx';
import { AGENTS_KEY } from './agent-queries.ts';
import { agentOf, type AgentValues, NEW_AGENT } from './agent-values.ts';

/** The form of a name (contract, shapes/tool.ts): the server says so too, less readably. */
const NAME = /^[A-Za-z0-9_-]+$/;

export function NewAgentDialog({ onClose }: { readonly onClose: () => void }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const form = useForm<AgentValues>({ defaultValues: NEW_AGENT });
  const { errors, isSubmitting } = form.formState;
  const create = async (values: AgentValues) => {
    const { name } = await client.agents.create(agentOf(values));
    await queries.invalidateQueries({ queryKey: AGENTS_KEY });
    toastDone('The agent is added', name);
    void navigate({ to: '/assistant/agents/$name', params: { name } });
  };
  return (
    <Dialog isOpen keepsOpen onClose={onClose} title="Add agent" size="wide">
      <ServerForm form={form} onSend={create}>
        <TextField
          label="Name"
          hint="What endpoints and programs run it by: letters, digits, “_” and “-”."
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={TOOL_NAME_CHARACTERS_MAX}
          error={errors.name?.message}
          {...form.register('name', {
            validate: (name) => NAME.test(name) || 'Enter letters, digits, “_” and “-”.',
          })}
        />
        <AgentFields form={form} isNew />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={isSubmitting}>
            Add agent
          </Button>
        </DialogActions>
      </ServerForm>
    </Dialog>
  );
}

import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import {
  AGENT_MESSAGE_CHARACTERS_MAX,
  AGENT_VARIABLE_CHARACTERS_MAX,
} from '@trellis/contract/limits.ts';
import type { AgentSummary } from '@trellis/contract/shapes/agent.ts';
import { Play } from 'lucide-react';
import { useForm } from 'react-hook-form';
import { client } from '../../../api/client.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { TextArea, TextField } from '../../../ui/field.tsx';
import { ServerForm } from '../../../ui/server-form.tsx';
import { AgentRunView } from './agent-run-view.tsx';
import { AGENTS_KEY, agentRunQuery } from './agent-queries.ts';

const route = getRouteApi('/workspace/assistant/agents/$name');

interface RunText {
  message: string;
  /** In the order of the agent's variables, whose names may be any. */
  variables: string[];
}

/** A message to the agent with values for its variables, and what came of it. */
export function RunAgent({ agent }: { readonly agent: AgentSummary }) {
  const { name, variables } = agent;
  const { run } = route.useSearch();
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  const form = useForm<RunText>({
    defaultValues: { message: '', variables: variables.map(() => '') },
  });
  const { errors, isSubmitting } = form.formState;
  const start = async (text: RunText) => {
    const values = variables.map((variable, at) => [variable, text.variables[at] ?? ''] as const);
    const started = await client.agents.run(name, {
      message: text.message,
      // A blank one has what stands after ":-" in the instructions.
      variables: Object.fromEntries(values.filter(([, value]) => value !== '')),
      async: true,
    });
    queries.setQueryData(agentRunQuery(started.UID).queryKey, started);
    await queries.invalidateQueries({ queryKey: [...AGENTS_KEY, 'runs'] });
    void navigate({ search: { run: started.UID } });
  };
  return (
    <div className="grid items-start gap-5 xl:grid-cols-2">
      <Card title="Run">
        <ServerForm form={form} onSend={start}>
          {variables.map((variable, at) => (
            <TextField
              key={variable}
              label={variable}
              dir="auto"
              autoComplete="off"
              maxLength={AGENT_VARIABLE_CHARACTERS_MAX}
              {...form.register(`variables.${at}`)}
            />
          ))}
          <TextArea
            label="Message"
            dir="auto"
            rows={5}
            maxLength={AGENT_MESSAGE_CHARACTERS_MAX}
            error={errors.message?.message}
            {...form.register('message', {
              validate: (message) => message.trim() !== '' || 'Enter a message.',
            })}
          />
          <div className="flex justify-end">
            <Button kind="primary" type="submit" icon={Play} isBusy={isSubmitting}>
              Run
            </Button>
          </div>
        </ServerForm>
      </Card>
      {run !== undefined && (
        <Card title="Result">
          <AgentRunView uid={run} />
        </Card>
      )}
    </div>
  );
}

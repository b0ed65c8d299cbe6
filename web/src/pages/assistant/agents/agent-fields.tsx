import { variablesIn } from '@trellis/contract/agent-variables.ts';
import { useQuery } from '@tanstack/react-query';
import {
  AGENT_INSTRUCTIONS_CHARACTERS_MAX,
  AGENT_SECONDS_MAX,
  AGENT_STEPS_MAX,
  AGENT_TOKENS_MAX,
  AGENT_TOOL_CALLS_MAX,
  TOOL_DESCRIPTION_CHARACTERS_MAX,
} from '@trellis/contract/limits.ts';
import { Controller, type UseFormReturn } from 'react-hook-form';
import { CheckboxField, SelectField, TextArea, TextField } from '../../../ui/field.tsx';
import { formatCount } from '../../../ui/format.ts';
import { chatOptionsQuery } from '../chat/chat-queries.ts';
import { toolNamesQuery } from './agent-queries.ts';
import { type AgentValues, schemaProblem } from './agent-values.ts';

interface AgentFieldsProps {
  readonly form: UseFormReturn<AgentValues>;
  /** Limits may be left blank. */
  readonly isNew: boolean;
}

/** What an administrator decides about an agent, but its name. */
export function AgentFields({ form, isNew }: AgentFieldsProps) {
  const { errors } = form.formState;
  return (
    <>
      <TextField
        label="Description"
        hint="For those who choose an agent."
        dir="auto"
        autoComplete="off"
        maxLength={TOOL_DESCRIPTION_CHARACTERS_MAX}
        error={errors.description?.message}
        {...form.register('description')}
      />
      <InstructionsField form={form} />
      <div className="grid gap-4 sm:grid-cols-2">
        <ModelField form={form} />
        <SelectField
          label="Who may run it"
          options={[
            { value: 'users', label: 'Users' },
            { value: 'admins', label: 'Administrators only' },
          ]}
          {...form.register('access')}
        />
      </div>
      <ToolsField form={form} />
      <TextArea
        label="Output schema"
        hint="A JSON Schema that every answer has to fit. Blank: answers are text."
        isCode
        rows={5}
        spellCheck={false}
        error={errors.outputSchema?.message}
        {...form.register('outputSchema', { validate: schemaProblem })}
      />
      <LimitFields form={form} isNew={isNew} />
    </>
  );
}

type PartProps = Pick<AgentFieldsProps, 'form'>;

function InstructionsField({ form }: PartProps) {
  const variables = variablesIn(form.watch('instructions'));
  return (
    <div>
      <TextArea
        label="Instructions"
        hint="For the model. A run sets the value of ${NAME}; ${NAME:-text} has a default."
        dir="auto"
        rows={8}
        maxLength={AGENT_INSTRUCTIONS_CHARACTERS_MAX}
        error={form.formState.errors.instructions?.message}
        {...form.register('instructions', {
          validate: (text) => text.trim() !== '' || 'Enter instructions.',
        })}
      />
      {variables.length > 0 && (
        <p className="mt-1 text-[13px] text-muted">Variables: {variables.join(', ')}</p>
      )}
    </div>
  );
}

/** The model of an agent may not be allowed any more: it stays to be seen. */
function ModelField({ form }: PartProps) {
  const { data } = useQuery(chatOptionsQuery);
  const models = [...new Set([...(data?.models ?? []), form.watch('model')])].filter(Boolean);
  return (
    <SelectField
      label="Model"
      options={[
        { value: '', label: 'The model of chat' },
        ...models.map((model) => ({ value: model, label: model })),
      ]}
      error={form.formState.errors.model?.message}
      {...form.register('model')}
    />
  );
}

function ToolsField({ form }: PartProps) {
  const { data: names = [] } = useQuery(toolNamesQuery);
  return (
    <Controller
      control={form.control}
      name="tools"
      render={({ field: { value, onChange }, fieldState: { error } }) => (
        <fieldset>
          <legend className="font-medium">Tools</legend>
          <p className="mb-1.5 text-[13px] text-muted">
            A run gets only the tools that its user may call.
          </p>
          {error !== undefined && <p className="text-[13px] text-danger">{error.message}</p>}
          <div className="grid max-h-48 gap-1.5 overflow-y-auto rounded-control border p-2 empty:hidden sm:grid-cols-2">
            {[...new Set([...names, ...value])].map((name) => (
              <CheckboxField
                key={name}
                label={name}
                className="wrap-anywhere"
                checked={value.includes(name)}
                onChange={({ target }) =>
                  onChange(
                    target.checked ? [...value, name] : value.filter((other) => other !== name),
                  )
                }
              />
            ))}
          </div>
        </fieldset>
      )}
    />
  );
}

const LIMITS = [
  { name: 'steps', label: 'Steps', min: 1, max: AGENT_STEPS_MAX },
  { name: 'toolCalls', label: 'Tool calls', min: 0, max: AGENT_TOOL_CALLS_MAX },
  { name: 'tokens', label: 'Tokens', min: 1, max: AGENT_TOKENS_MAX },
  { name: 'seconds', label: 'Seconds', min: 1, max: AGENT_SECONDS_MAX },
] as const;

function LimitFields({ form, isNew }: AgentFieldsProps) {
  return (
    <fieldset>
      <legend className="font-medium">Limits of a run</legend>
      {isNew && <p className="text-[13px] text-muted">Leave blank for the defaults.</p>}
      <div className="mt-1.5 grid grid-cols-2 gap-4 sm:grid-cols-4">
        {LIMITS.map(({ name, label, min, max }) => (
          <TextField
            key={name}
            label={label}
            type="number"
            inputMode="numeric"
            error={form.formState.errors[name]?.message}
            {...form.register(name, {
              valueAsNumber: true,
              validate: (value) =>
                (isNew && Number.isNaN(value)) ||
                (Number.isInteger(value) && value >= min && value <= max) ||
                `Enter ${min} to ${formatCount(max)}.`,
            })}
          />
        ))}
      </div>
    </fieldset>
  );
}

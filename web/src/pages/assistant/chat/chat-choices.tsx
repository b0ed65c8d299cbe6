import type { ChatOptions } from '@trellis/contract/shapes/chat.ts';
import { Wrench } from 'lucide-react';
import { Button } from '../../../ui/button.tsx';
import { CheckboxField, SelectField } from '../../../ui/field.tsx';
import { Popover } from '../../../ui/popover.tsx';
import type { ChatChoice } from './use-chat-sending.ts';

interface ChatChoiceProps {
  readonly options: ChatOptions;
  readonly choice: ChatChoice;
  readonly onChange: (choice: ChatChoice) => void;
}

/** Which model answers, where there is more than one. */
export function ModelField({ options: { model, models }, choice, onChange }: ChatChoiceProps) {
  if (models.length < 2) return null;
  return (
    <SelectField
      label="Model"
      isLabelHidden
      className="max-w-44"
      value={choice.model ?? model ?? undefined}
      onChange={({ target }) => onChange({ ...choice, model: target.value })}
      options={models.map((name) => ({ value: name, label: name }))}
    />
  );
}

/** Which tools the model may call; all of those that the user may use, when nobody chooses. */
export function ToolsMenu({ options: { tools }, choice, onChange }: ChatChoiceProps) {
  if (tools.length === 0) return null;
  const chosen = choice.tools ?? tools.map(({ name }) => name);
  const change = (name: string, isOn: boolean) => {
    const next = isOn ? [...chosen, name] : chosen.filter((other) => other !== name);
    onChange({ ...choice, tools: next.length === tools.length ? undefined : next });
  };
  return (
    <Popover
      title="Tools that the assistant may use"
      trigger={
        <Button size="small" icon={Wrench}>
          {choice.tools === undefined ? 'All tools' : `${chosen.length} of ${tools.length} tools`}
        </Button>
      }
    >
      <div className="flex flex-col gap-2">
        {tools.map(({ name, description }) => (
          <CheckboxField
            key={name}
            label={name}
            hint={description}
            checked={chosen.includes(name)}
            onChange={({ target }) => change(name, target.checked)}
          />
        ))}
      </div>
    </Popover>
  );
}

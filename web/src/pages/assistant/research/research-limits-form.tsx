import { useQueryClient } from '@tanstack/react-query';
import {
  RESEARCH_MINUTES_MAX,
  RESEARCH_QUEUED_MAX,
  RESEARCH_RUNNING_MAX,
  RESEARCH_STEPS_MAX,
  RESEARCH_TOKENS_MAX,
} from '@trellis/contract/limits.ts';
import type { ResearchLimits, ResearchSettings } from '@trellis/contract/shapes/deep-research.ts';
import { useForm } from 'react-hook-form';
import { client } from '../../../api/client.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { TextField } from '../../../ui/field.tsx';
import { formatCount } from '../../../ui/format.ts';
import { ServerForm } from '../../../ui/server-form.tsx';
import { toastDone } from '../../../ui/toast.ts';
import { researchSettingsQuery } from './research-queries.ts';

interface LimitText {
  readonly name: keyof ResearchLimits;
  readonly label: string;
  readonly hint: string;
  readonly max: number;
}

const LIMITS: readonly LimitText[] = [
  {
    name: 'running',
    label: 'Runs at a time',
    hint: 'In the workspace.',
    max: RESEARCH_RUNNING_MAX,
  },
  { name: 'queued', label: 'Runs that wait', hint: 'More are refused.', max: RESEARCH_QUEUED_MAX },
  {
    name: 'runsPerUser',
    label: 'Runs of a user',
    hint: 'Waiting or running.',
    max: RESEARCH_QUEUED_MAX,
  },
  {
    name: 'steps',
    label: 'Steps of a run',
    hint: 'Questions to a model.',
    max: RESEARCH_STEPS_MAX,
  },
  {
    name: 'tokens',
    label: 'Tokens of a run',
    hint: 'In and out.',
    max: RESEARCH_TOKENS_MAX,
  },
  {
    name: 'minutes',
    label: 'Minutes of a run',
    hint: 'Without waiting.',
    max: RESEARCH_MINUTES_MAX,
  },
];

interface ResearchLimitsFormProps {
  readonly settings: ResearchSettings;
  readonly isAllowed: boolean;
}

export function ResearchLimitsForm({ settings, isAllowed }: ResearchLimitsFormProps) {
  const { limits, defaults } = settings;
  const queries = useQueryClient();
  const form = useForm<ResearchLimits>({ defaultValues: limits });
  const { errors, isDirty, isSubmitting } = form.formState;
  const save = async (wanted: ResearchLimits) => {
    const saved = await client.deepResearch.putSettings({ limits: wanted });
    form.reset(saved.limits);
    queries.setQueryData(researchSettingsQuery.queryKey, saved);
    toastDone('The limits are saved');
  };
  return (
    <Card title="Limits" description="0 brings back the default.">
      <ServerForm form={form} onSend={save} isDisabled={!isAllowed}>
        <div className="grid gap-4 sm:grid-cols-2">
          {LIMITS.map(({ name, label, hint, max }) => (
            <TextField
              key={name}
              label={label}
              hint={`${hint} Default ${formatCount(defaults[name])}.`}
              type="number"
              inputMode="numeric"
              error={errors[name]?.message}
              {...form.register(name, {
                valueAsNumber: true,
                validate: (value) =>
                  (Number.isInteger(value) && value >= 0 && value <= max) ||
                  `Enter a whole number from 0 to ${formatCount(max)}.`,
              })}
            />
          ))}
        </div>
        <div className="flex justify-end">
          <Button kind="primary" type="submit" disabled={!isDirty} isBusy={isSubmitting}>
            Save the limits
          </Button>
        </div>
      </ServerForm>
    </Card>
  );
}

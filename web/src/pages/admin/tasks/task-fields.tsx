import { useQuery } from '@tanstack/react-query';
import { Controller, type UseFormReturn } from 'react-hook-form';
import { describeError } from '../../../ui/error-text.ts';
import { SelectField, TextArea, TextField } from '../../../ui/field.tsx';
import { formatDateTime } from '../../../ui/format.ts';
import { PrincipalsField } from '../../../ui/principals-field.tsx';
import { EndpointPicker } from '../../assistant/tools/endpoint-picker.tsx';
import { builtInTasksQuery, scheduleQuery } from './task-queries.ts';
import { isJson, type TaskValues } from './task-values.ts';

interface TaskFieldsProps {
  readonly form: UseFormReturn<TaskValues>;
}

/** Everything but the name. */
export function TaskFields({ form }: TaskFieldsProps) {
  const { errors } = form.formState;
  return (
    <>
      <SelectField
        label="Runs"
        options={[
          { value: 'endpoint', label: 'An endpoint' },
          { value: 'built-in', label: 'A built-in task' },
        ]}
        {...form.register('runs')}
      />
      {form.watch('runs') === 'endpoint' ? <EndpointFields form={form} /> : <BuiltIn form={form} />}
      <TextField
        label="Schedule"
        hint="Minute, hour, day of the month, month, day of the week; or @daily, @weekly and the like."
        autoComplete="off"
        spellCheck={false}
        isCode
        error={errors.cron?.message}
        {...form.register('cron', { required: 'Enter a schedule.' })}
      />
      <TextField
        label="Time zone"
        hint="Such as Europe/Berlin."
        autoComplete="off"
        spellCheck={false}
        error={errors.timeZone?.message}
        {...form.register('timeZone', { required: 'Enter a time zone.' })}
      />
      <ScheduleWords cron={form.watch('cron')} timeZone={form.watch('timeZone')} />
      <SelectField
        label="If the server was down at the time"
        options={[
          { value: 'run', label: 'Run once at the next start' },
          { value: 'skip', label: 'Skip it' },
        ]}
        {...form.register('whenMissed')}
      />
    </>
  );
}

/** What the schedule means, as it is typed. */
function ScheduleWords({ cron, timeZone }: { readonly cron: string; readonly timeZone: string }) {
  const { data, error } = useQuery(scheduleQuery(cron, timeZone));
  return (
    <output aria-label="What the schedule means" className="rounded-control bg-sunken px-3 py-2">
      {error !== null && <span className="text-danger">{describeError(error).message}</span>}
      {error === null && data !== undefined && (
        <>
          <span className="font-medium">{data.description}</span>
          <span className="block text-[13px] text-muted">
            Next: {data.nextRunAts.slice(0, 3).map(formatDateTime).join('; ')}
          </span>
        </>
      )}
    </output>
  );
}

function EndpointFields({ form }: TaskFieldsProps) {
  return (
    <>
      <Controller
        control={form.control}
        name="endpoint"
        rules={{ required: 'Choose an endpoint.' }}
        render={({ field, fieldState }) => (
          <EndpointPicker
            hint="The endpoint that the task calls."
            value={field.value}
            onChange={field.onChange}
            error={fieldState.error?.message}
          />
        )}
      />
      <Controller
        control={form.control}
        name="actingUser"
        render={({ field: { value, onChange } }) => (
          <PrincipalsField
            label="Acts as"
            hint="The user that it runs as. Without one it runs as the system, with all rights."
            kind="user"
            isSingle
            value={value === '' ? [] : [value]}
            onChange={([uid = '']) => onChange(uid)}
            error={form.formState.errors.actingUser?.message}
          />
        )}
      />
      <TextArea
        label="Body"
        hint="The JSON of the call. Leave it empty for none."
        isCode
        error={form.formState.errors.body?.message}
        {...form.register('body', { validate: isJson })}
      />
    </>
  );
}

function BuiltIn({ form }: TaskFieldsProps) {
  const { data } = useQuery(builtInTasksQuery);
  const options = (data?.items ?? []).map(({ name, description }) => ({
    value: name,
    label: `${name}: ${description}`,
  }));
  return (
    <SelectField
      label="Built-in task"
      options={[{ value: '', label: 'Choose' }, ...options]}
      error={form.formState.errors.builtIn?.message}
      {...form.register('builtIn', { required: 'Choose a task.' })}
    />
  );
}

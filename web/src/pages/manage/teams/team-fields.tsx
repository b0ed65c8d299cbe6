import type { UseFormReturn } from 'react-hook-form';
import { TEAM_NAME_CHARACTERS_MAX, USER_TEXT_CHARACTERS_MAX } from '@trellis/contract/limits.ts';
import { TextArea, TextField } from '../../../ui/field.tsx';

export interface TeamFormValues {
  name: string;
  description: string;
}

export function TeamFields({ form }: { readonly form: UseFormReturn<TeamFormValues> }) {
  const { errors } = form.formState;
  return (
    <>
      <TextField
        label="Name"
        dir="auto"
        autoComplete="off"
        maxLength={TEAM_NAME_CHARACTERS_MAX}
        error={errors.name?.message}
        {...form.register('name', {
          validate: (name) => name.trim() !== '' || 'Give the team a name.',
        })}
      />
      <TextArea
        label="Description"
        dir="auto"
        rows={3}
        maxLength={USER_TEXT_CHARACTERS_MAX}
        error={errors.description?.message}
        {...form.register('description')}
      />
    </>
  );
}

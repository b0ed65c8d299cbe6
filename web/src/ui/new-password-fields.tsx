import { PASSWORD_CHARACTERS_MIN } from '@trellis/contract/limits.ts';
import { useFormContext } from 'react-hook-form';
import { TextField } from './field.tsx';

export interface NewPassword {
  newPassword: string;
  /** Not sent: it is only compared. */
  repeated: string;
}

/** A password that is set, twice, in the form around them. */
export function NewPasswordFields() {
  const form = useFormContext<NewPassword>();
  const { errors } = form.formState;
  return (
    <>
      <TextField
        label="New password"
        hint={`At least ${PASSWORD_CHARACTERS_MIN} characters.`}
        type="password"
        autoComplete="new-password"
        error={errors.newPassword?.message}
        {...form.register('newPassword', { required: 'Enter a password.' })}
      />
      <TextField
        label="Repeat the password"
        type="password"
        autoComplete="new-password"
        error={errors.repeated?.message}
        {...form.register('repeated', {
          validate: (again, { newPassword }) =>
            again === newPassword || 'The two passwords differ.',
        })}
      />
    </>
  );
}

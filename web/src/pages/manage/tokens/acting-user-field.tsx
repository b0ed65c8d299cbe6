import { Controller } from 'react-hook-form';
import { PrincipalsField } from '../../../ui/principals-field.tsx';
import type { TokenForm } from './token-form.ts';

interface ActingUserFieldProps {
  readonly form: TokenForm;
  readonly isRequired: boolean;
}

export function ActingUserField({ form, isRequired }: ActingUserFieldProps) {
  return (
    <Controller
      control={form.control}
      name="actingUser"
      rules={{
        validate: (chosen) =>
          !isRequired || chosen.length > 0 || 'Choose the user that the token acts as.',
      }}
      render={({ field, fieldState }) => (
        <PrincipalsField
          label="Acts as"
          hint={
            isRequired
              ? 'The token sees and does what this user may, and no more.'
              : 'The user that endpoints run as. Without one they see only what is restricted to nobody.'
          }
          kind="user"
          isSingle
          value={field.value}
          onChange={field.onChange}
          error={fieldState.error?.message}
        />
      )}
    />
  );
}

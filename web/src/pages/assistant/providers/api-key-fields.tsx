import type { Path, UseFormReturn } from 'react-hook-form';
import { CheckboxField, TextField } from '../../../ui/field.tsx';

export interface KeyText {
  readonly apiKey: string;
  readonly removesKey: boolean;
}

interface ApiKeyFieldsProps<T extends KeyText> {
  readonly form: UseFormReturn<T>;
  readonly isSet: boolean;
}

/** The key of a provider is never told: it is either there or not. */
export function ApiKeyFields<T extends KeyText>({ form, isSet }: ApiKeyFieldsProps<T>) {
  const key = 'apiKey' as Path<T>;
  const error = form.getFieldState(key, form.formState).error?.message;
  return (
    <>
      <TextField
        label="Key"
        type="password"
        autoComplete="new-password"
        hint={
          isSet
            ? 'Set. Leave it blank to keep it; for another address enter it again.'
            : 'If the provider requires one. It is stored encrypted, and never shown.'
        }
        error={error}
        {...form.register(key)}
      />
      {isSet && (
        <CheckboxField
          label="Remove the key that is set"
          {...form.register('removesKey' as Path<T>)}
        />
      )}
    </>
  );
}

/** A key that is left out stays. */
export function keyChangeOf({ apiKey, removesKey }: KeyText): { readonly apiKey?: string | null } {
  if (apiKey !== '') return { apiKey };
  return removesKey ? { apiKey: null } : {};
}

import { SelectField, TextField } from '../../../ui/field.tsx';
import type { TokenForm } from './token-form.ts';

/** When the token ends by itself. */
export function ExpiryFields({ form }: { readonly form: TokenForm }) {
  const { errors } = form.formState;
  const expires = form.watch('expires');
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <SelectField
        label="Expires"
        options={[
          { value: '30', label: 'In 30 days' },
          { value: '90', label: 'In 90 days' },
          { value: '365', label: 'In a year' },
          { value: 'never', label: 'Never' },
          { value: 'at', label: 'At a time of your choice' },
        ]}
        error={expires === 'at' ? undefined : errors.expiresAt?.message}
        {...form.register('expires')}
      />
      {expires === 'at' && (
        <TextField
          label="Time of expiry"
          type="datetime-local"
          error={errors.expiresAt?.message}
          {...form.register('expiresAt', {
            validate: (moment) => Date.parse(moment) > Date.now() || 'Choose a time in the future.',
          })}
        />
      )}
    </div>
  );
}

import { TrellisError } from '@trellis/client/trellis-error.ts';
import { useForm } from 'react-hook-form';
import { client } from '../../../api/client.ts';
import { useConnectionState } from '../../../app/live-connection.ts';
import { Card } from '../../../ui/card.tsx';
import { describeError } from '../../../ui/error-text.ts';
import { TextField } from '../../../ui/field.tsx';
import { NewPasswordFields } from '../../../ui/new-password-fields.tsx';
import { ServerForm } from '../../../ui/server-form.tsx';
import { toastDone } from '../../../ui/toast.ts';
import { FormEnd } from './profile-form.tsx';

const EMPTY = { oldPassword: '', newPassword: '', repeated: '' };
/** The codes of the service that are about one field. */
const FIELD_OF_CODE = { wrong_password: 'oldPassword', weak_password: 'newPassword' } as const;

export function PasswordForm() {
  const form = useForm({ defaultValues: EMPTY });
  const { errors, isSubmitting } = form.formState;
  const isAway = useConnectionState() === 'away';
  const change = async ({ oldPassword, newPassword }: typeof EMPTY) => {
    try {
      await client.login.changePassword({ oldPassword, newPassword });
    } catch (error) {
      const field = fieldOf(error);
      if (field === undefined) throw error;
      form.setError(field, { type: 'server', message: describeError(error).message });
      return;
    }
    form.reset(EMPTY);
    toastDone('The password is changed', 'Your other sessions have ended.');
  };
  return (
    <Card
      title="Password"
      description="All your other sessions end when it is changed: sign in there again."
    >
      <ServerForm form={form} onSend={change}>
        <TextField
          label="Current password"
          type="password"
          autoComplete="current-password"
          error={errors.oldPassword?.message}
          {...form.register('oldPassword', { required: 'Enter your current password.' })}
        />
        <NewPasswordFields />
        <FormEnd action="Change the password" isBusy={isSubmitting} isAway={isAway} />
      </ServerForm>
    </Card>
  );
}

function fieldOf(error: unknown): 'oldPassword' | 'newPassword' | undefined {
  if (!(error instanceof TrellisError)) return undefined;
  return Object.entries(FIELD_OF_CODE).find(([code]) => code === error.code)?.[1];
}

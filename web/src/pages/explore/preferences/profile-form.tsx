import { useQueryClient } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import { client } from '../../../api/client.ts';
import { type Viewer, viewerQuery } from '../../../api/viewer.ts';
import { useConnectionState } from '../../../app/live-connection.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { TextField } from '../../../ui/field.tsx';
import { ServerForm } from '../../../ui/server-form.tsx';
import { toastDone } from '../../../ui/toast.ts';

/** Name and address, as others see them. */
export function ProfileForm({ viewer: { uid, user } }: { readonly viewer: Viewer }) {
  const { FirstName: firstName = '', LastName: lastName = '', Email: email = '' } = user;
  const form = useForm({ defaultValues: { firstName, lastName, email } });
  const { errors, isDirty, isSubmitting } = form.formState;
  const queries = useQueryClient();
  const isAway = useConnectionState() === 'away';
  const save = async (change: { firstName: string; lastName: string; email: string }) => {
    const { email: address, ...names } = change;
    // Who has no address, as the first administrator, need not give one to change the name.
    await client.users.update(uid, address === email ? names : change);
    form.reset(change);
    await queries.invalidateQueries({ queryKey: viewerQuery.queryKey });
    toastDone('Your profile is saved');
  };
  return (
    <Card title="Profile" description={`Your user name is ${user.UserName ?? uid}.`}>
      <ServerForm form={form} onSend={save}>
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label="First name"
            autoComplete="given-name"
            dir="auto"
            error={errors.firstName?.message}
            {...form.register('firstName')}
          />
          <TextField
            label="Last name"
            autoComplete="family-name"
            dir="auto"
            error={errors.lastName?.message}
            {...form.register('lastName')}
          />
        </div>
        <TextField
          label="E-mail"
          type="email"
          autoComplete="email"
          error={errors.email?.message}
          {...form.register('email', {
            validate: (address) =>
              address === email || address !== '' || 'Enter an e-mail address.',
          })}
        />
        <FormEnd action="Save" isBusy={isSubmitting} isDisabled={!isDirty} isAway={isAway} />
      </ServerForm>
    </Card>
  );
}

interface FormEndProps {
  readonly action: string;
  readonly isBusy: boolean;
  readonly isDisabled?: boolean;
  readonly isAway: boolean;
}

/** The button of a form, and why it cannot be pressed when the primary is away. */
export function FormEnd({ action, isBusy, isDisabled = false, isAway }: FormEndProps) {
  return (
    <div className="flex flex-wrap items-center justify-end gap-3">
      {isAway && (
        <p className="text-muted">The primary does not answer: nothing can be changed now.</p>
      )}
      <Button kind="primary" type="submit" isBusy={isBusy} disabled={isDisabled || isAway}>
        {action}
      </Button>
    </div>
  );
}

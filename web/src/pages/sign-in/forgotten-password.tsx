import { useForm } from 'react-hook-form';
import { client } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { ServerForm } from '../../ui/server-form.tsx';

/** The answer is the same whether there is such a user or not. */
export function ForgottenPassword({ onBack }: { readonly onBack: () => void }) {
  const form = useForm({ defaultValues: { email: '' } });
  const { errors, isSubmitting, isSubmitSuccessful } = form.formState;
  const isSent = isSubmitSuccessful && errors.root === undefined && errors.email === undefined;
  return (
    <>
      <PageHeader title="Reset your password" />
      {isSent ? (
        <Notice tone="info">
          If a user has this address, a link is on its way. It works once, for 30 minutes. If the
          workspace sends no mail, ask an administrator for the link.
        </Notice>
      ) : (
        <ServerForm form={form} onSend={({ email }) => client.login.resetPassword({ email })}>
          <TextField
            label="E-mail address"
            type="email"
            autoComplete="email"
            error={errors.email?.message}
            {...form.register('email', { required: 'Enter your address.' })}
          />
          <Button kind="primary" type="submit" isBusy={isSubmitting}>
            Send a link
          </Button>
        </ServerForm>
      )}
      <Button kind="quiet" size="small" className="mt-3 w-full" onClick={onBack}>
        Back to sign-in
      </Button>
    </>
  );
}

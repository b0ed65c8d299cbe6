import { getRouteApi, Link } from '@tanstack/react-router';
import { useForm } from 'react-hook-form';
import { client } from '../../api/client.ts';
import { Button, buttonClasses } from '../../ui/button.tsx';
import { type NewPassword, NewPasswordFields } from '../../ui/new-password-fields.tsx';
import { Notice } from '../../ui/notice.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { ServerForm } from '../../ui/server-form.tsx';
import { SignInFrame } from './sign-in-frame.tsx';

const route = getRouteApi('/reset-password');

/** Where the link of a password reset leads (open-shapes, section 3). */
export function ResetPasswordPage() {
  const { token } = route.useSearch();
  return (
    <SignInFrame>
      <PageHeader title="Set a new password" />
      {token === undefined ? (
        <Notice tone="warning">
          This link is incomplete. Copy all of it from the e-mail, or ask for another one.
        </Notice>
      ) : (
        <NewPasswordForm token={token} />
      )}
      <Link to="/sign-in" className={`${buttonClasses('quiet', 'small')} mt-3 w-full`}>
        Go to sign-in
      </Link>
    </SignInFrame>
  );
}

function NewPasswordForm({ token }: { readonly token: string }) {
  const form = useForm<NewPassword>({ defaultValues: { newPassword: '', repeated: '' } });
  const { errors, isSubmitting, isSubmitSuccessful } = form.formState;
  if (isSubmitSuccessful && Object.keys(errors).length === 0) {
    return <Notice tone="info">The password is set. Sign in with it.</Notice>;
  }
  const reset = ({ newPassword }: NewPassword) =>
    client.login.completePasswordReset({ token, newPassword });
  return (
    <ServerForm form={form} onSend={reset}>
      <NewPasswordFields />
      <Button kind="primary" type="submit" isBusy={isSubmitting}>
        Set the password
      </Button>
    </ServerForm>
  );
}

import type { LoginProvider } from '@trellis/client/methods/login.ts';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useForm } from 'react-hook-form';
import { client } from '../../api/client.ts';
import { session, useSession } from '../../app/session.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { TextField } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { ServerForm } from '../../ui/server-form.tsx';
import { ForgottenPassword } from './forgotten-password.tsx';
import { pageAfter } from './page-after.ts';
import { SignInFrame } from './sign-in-frame.tsx';

const route = getRouteApi('/sign-in');

export function SignInPage() {
  const { returnTo } = route.useSearch();
  const navigate = useNavigate();
  const isSignedIn = useSession() !== undefined;
  const [isForgotten, setIsForgotten] = useState(false);
  useEffect(() => {
    if (isSignedIn) void navigate({ href: pageAfter(returnTo), replace: true });
  }, [isSignedIn, navigate, returnTo]);
  return (
    <SignInFrame>
      {isForgotten ? (
        <ForgottenPassword onBack={() => setIsForgotten(false)} />
      ) : (
        <>
          <PageHeader title="Sign in" />
          {session.end === 'expired' && (
            <div className="mb-4">
              <Notice tone="info">
                Your session has ended. Sign in to continue where you were.
              </Notice>
            </div>
          )}
          <PasswordForm onForgotten={() => setIsForgotten(true)} />
          <Providers returnTo={returnTo} />
        </>
      )}
    </SignInFrame>
  );
}

function PasswordForm({ onForgotten }: { readonly onForgotten: () => void }) {
  const form = useForm({ defaultValues: { user: '', password: '' } });
  const { errors, isSubmitting } = form.formState;
  const signIn = async (values: { readonly user: string; readonly password: string }) =>
    session.begin(await client.login.create(values));
  return (
    <ServerForm form={form} onSend={signIn}>
      <TextField
        label="User name or e-mail address"
        autoComplete="username"
        autoCapitalize="none"
        error={errors.user?.message}
        {...form.register('user', { required: 'Enter your user name.' })}
      />
      <TextField
        label="Password"
        type="password"
        autoComplete="current-password"
        error={errors.password?.message}
        {...form.register('password', { required: 'Enter your password.' })}
      />
      <Button kind="primary" type="submit" isBusy={isSubmitting}>
        Sign in
      </Button>
      <Button kind="quiet" size="small" onClick={onForgotten}>
        Forgot your password?
      </Button>
    </ServerForm>
  );
}

/** Nothing is said when they cannot be read: signing in by password goes on without. */
function Providers({ returnTo }: { readonly returnTo: string | undefined }) {
  const { data } = useQuery({
    queryKey: ['login-providers'],
    queryFn: ({ signal }) => client.login.listProviders({ signal }),
  });
  const leave = useMutation({
    mutationFn: (provider: LoginProvider) => client.login.begin(provider, returnTo),
    onSuccess: ({ url }) => location.assign(url),
  });
  if (data === undefined || data.items.length === 0) return null;
  return (
    <div className="mt-5 flex flex-col gap-2 border-t pt-5">
      {leave.isError && <ErrorPanel title="The sign-in could not begin" error={leave.error} />}
      {data.items.map((provider) => (
        <Button
          key={`${provider.provider} ${provider.name}`}
          disabled={leave.isPending}
          onClick={() => leave.mutate(provider)}
        >
          Sign in with {provider.name}
        </Button>
      ))}
    </div>
  );
}

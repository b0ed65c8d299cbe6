import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { client } from '../../api/client.ts';
import { session } from '../../app/session.ts';
import { buttonClasses } from '../../ui/button.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { pageAfter } from './page-after.ts';
import { SignInFrame } from './sign-in-frame.tsx';

const route = getRouteApi('/signed-in');

/** Exchanges the code for a session, once: asking twice would be refused. */
export function SignedInPage() {
  const { code, returnTo } = route.useSearch();
  const navigate = useNavigate();
  const exchange = useQuery({
    queryKey: ['exchange-login', code],
    queryFn: () => client.login.exchange({ code: code ?? '' }),
    staleTime: Infinity,
    refetchOnWindowFocus: false,
  });
  useEffect(() => {
    if (exchange.data === undefined) return;
    session.begin(exchange.data);
    void navigate({ href: pageAfter(returnTo), replace: true });
  }, [exchange.data, navigate, returnTo]);
  return (
    <SignInFrame>
      <PageHeader title="Signing in" />
      {exchange.isError ? (
        <>
          <ErrorPanel title="The sign-in could not be completed" error={exchange.error} />
          <Link to="/sign-in" className={`${buttonClasses()} mt-4 w-full`}>
            Try again
          </Link>
        </>
      ) : (
        <Skeleton rows={2} />
      )}
    </SignInFrame>
  );
}

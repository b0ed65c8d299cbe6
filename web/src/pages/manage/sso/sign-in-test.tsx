import { useMutation } from '@tanstack/react-query';
import { TrellisError } from '@trellis/client/trellis-error.ts';
import { ExternalLink, FlaskConical } from 'lucide-react';
import { Button, buttonClasses } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { Notice } from '../../../ui/notice.tsx';

interface SignInTestProps {
  /** Why it cannot be tested now. */
  readonly reason: string | undefined;
  /** Begins a sign-in as the server does, and answers where it would lead. */
  readonly begin: () => Promise<{ readonly url: string }>;
}

/**
 * Whether a sign-in begins with the settings as they are saved, without leaving the page. The
 * answer leaves a cookie with this browser, so that the sign-in can be gone through from here.
 */
export function SignInTest({ reason, begin }: SignInTestProps) {
  const test = useMutation({ mutationFn: begin });
  return (
    <Card title="Test" description="Asks the server to begin a sign-in with the saved settings.">
      <div className="flex flex-col gap-3">
        {reason !== undefined && <p className="text-[13px] text-muted">{reason}</p>}
        <div>
          <Button
            icon={FlaskConical}
            disabled={reason !== undefined}
            isBusy={test.isPending}
            onClick={() => test.mutate()}
          >
            Test sign-in
          </Button>
        </div>
        {test.isSuccess && <Begun url={test.data.url} />}
        {test.isError && <Failure error={test.error} />}
      </div>
    </Card>
  );
}

function Begun({ url }: { readonly url: string }) {
  return (
    <>
      <Notice tone="info">
        The server can begin a sign-in. It leads to{' '}
        <span className="font-medium break-all">{placeOf(url)}</span>.
      </Notice>
      <div>
        <a href={url} target="_blank" rel="noopener" className={buttonClasses()}>
          <ExternalLink className="size-4" aria-hidden />
          Open the sign-in in a new tab
        </a>
      </div>
      <p className="text-[13px] text-muted">
        Finishing the sign-in there replaces your session in this browser.
      </p>
    </>
  );
}

function Failure({ error }: { readonly error: unknown }) {
  const reason = error instanceof TrellisError ? error.details?.['reason'] : undefined;
  return (
    <div>
      <ErrorPanel title="The sign-in could not begin" error={error} />
      {typeof reason === 'string' && <p className="mt-2 break-words">Reason: {reason}</p>}
    </div>
  );
}

/** Without the query, which holds what is for one sign-in only. */
function placeOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

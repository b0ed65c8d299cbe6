import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { OAuthConsent } from '@trellis/contract/shapes/oauth.ts';
import { client } from '../../api/client.ts';
import { viewerQuery } from '../../api/viewer.ts';
import { useSession } from '../../app/session.ts';
import { signOut } from '../../app/sign-out.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Notice } from '../../ui/notice.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { forgetRequest, keptRequest } from './kept-request.ts';
import { SignInFrame } from './sign-in-frame.tsx';

const route = getRouteApi('/authorize');

/** Asks the user whether an MCP client may act as them. Nothing but a press on Allow says yes. */
export function AuthorizePage() {
  const request = route.useSearch().request ?? keptRequest();
  return (
    <SignInFrame>
      {request === undefined ? (
        <>
          <PageHeader title="No request" />
          <Notice tone="info">
            No client asks for access in this tab. Begin in the client, which opens this page.
          </Notice>
        </>
      ) : (
        <Request key={request} request={request} />
      )}
    </SignInFrame>
  );
}

function Request({ request }: { readonly request: string }) {
  const asked = useQuery({
    queryKey: ['oauth-request', request],
    queryFn: ({ signal }) => client.oauth.describe({ request }, { signal }),
    retry: false,
  });
  if (asked.isError) {
    return (
      <>
        <PageHeader title="Access was not given" />
        <ErrorPanel title="This request cannot be answered" error={asked.error} />
      </>
    );
  }
  if (asked.data === undefined) return <Skeleton rows={4} />;
  return <Consent request={request} asked={asked.data} />;
}

interface ConsentProps {
  readonly request: string;
  readonly asked: OAuthConsent;
}

function Consent({ request, asked }: ConsentProps) {
  const viewer = useQuery(viewerQuery).data;
  const decide = useMutation({
    mutationFn: (allow: boolean) => client.oauth.decide({ request, allow }),
    onSuccess: ({ redirectTo }) => {
      forgetRequest();
      location.assign(redirectTo);
    },
  });
  const isDecided = decide.isPending || decide.isSuccess;
  return (
    <>
      <PageHeader title={`Let “${asked.client}” in?`} />
      <div className="flex flex-col gap-4">
        <p>
          It could read what you see here and call the tools below, as{' '}
          <bdi className="font-medium">{viewer?.name ?? 'you'}</bdi>, until you or an administrator
          revoke it.
        </p>
        <p>
          Your browser then goes to <Destination host={asked.redirectHost} />. The client chose its
          name itself: allow this only if you have just begun it there.
        </p>
        <Tools asked={asked} />
        {decide.isError && <ErrorPanel title="The answer was not taken" error={decide.error} />}
        <div className="flex gap-2">
          <Button
            kind="primary"
            className="flex-1"
            disabled={isDecided}
            onClick={() => decide.mutate(true)}
          >
            Allow
          </Button>
          <Button className="flex-1" disabled={isDecided} onClick={() => decide.mutate(false)}>
            Deny
          </Button>
        </div>
        <OtherUser />
      </div>
    </>
  );
}

/** A host, the own machine, or an app that opens addresses of its own. */
function Destination({ host }: { readonly host: string }) {
  const name = <bdi className="font-medium break-all">{host}</bdi>;
  if (host.endsWith(':')) return <>the app that opens {name} addresses on this device</>;
  const isOwn = /^(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?$/.test(host);
  return isOwn ? <>a program on this device ({name})</> : name;
}

function Tools({ asked: { tools, toolsTotal } }: { readonly asked: OAuthConsent }) {
  if (toolsTotal === 0) return <p className="text-muted">There is no tool for you yet.</p>;
  return (
    <section aria-label="Tools">
      <h2 className="mb-1 font-medium">
        {toolsTotal === 1 ? '1 tool' : `${toolsTotal} tools`}
        {toolsTotal > tools.length && `, of which the first ${tools.length} are`}
      </h2>
      <ul
        tabIndex={0}
        aria-label="Tools that the client could call"
        className="flex max-h-56 flex-col gap-2 overflow-y-auto rounded-control border p-2"
      >
        {tools.map(({ name, description, isReadOnly }) => (
          <li key={name}>
            <span className="flex flex-wrap items-center gap-2">
              <code className="font-mono text-[13px] break-all">{name}</code>
              {!isReadOnly && <Badge tone="warning">Changes data</Badge>}
            </span>
            {description !== '' && (
              <bdi className="block text-[13px] break-words text-muted">{description}</bdi>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The request is kept: whoever signs in next is asked. */
function OtherUser() {
  const navigate = useNavigate();
  const isSignedIn = useSession() !== undefined;
  const leave = useMutation({
    mutationFn: signOut,
    onSuccess: () => navigate({ to: '/sign-in', search: { returnTo: '/authorize' } }),
  });
  return (
    <Button
      kind="quiet"
      size="small"
      disabled={!isSignedIn || leave.isPending}
      onClick={() => leave.mutate()}
    >
      Sign in as somebody else
    </Button>
  );
}

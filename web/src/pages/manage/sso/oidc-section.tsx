import { useQuery } from '@tanstack/react-query';
import type { SsoConfig, SsoProvider } from '@trellis/contract/shapes/sso.ts';
import { client } from '../../../api/client.ts';
import { useChangePermission } from '../../../app/permissions.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Card } from '../../../ui/card.tsx';
import { CopyText } from '../../../ui/copy-text.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { OidcForm } from './oidc-form.tsx';
import { PublicAddressNotice } from './public-address-notice.tsx';
import { SignInTest } from './sign-in-test.tsx';

interface OidcSectionProps {
  readonly provider: SsoProvider;
  readonly label: string;
  readonly issuerHint: string;
}

/** One provider of OpenID Connect. */
export function OidcSection({ provider, label, issuerHint }: OidcSectionProps) {
  const { isAllowed } = useChangePermission();
  const query = useQuery({
    queryKey: ['sso', provider],
    queryFn: ({ signal }) => client.sso.getConfig(provider, { signal }),
  });
  return (
    <QueryView query={query} errorTitle={`The settings of ${label} could not be read`}>
      {(config) => (
        <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
          <Card
            title={label}
            actions={
              config.enabled ? <Badge tone="good">Enabled</Badge> : <Badge>Not enabled</Badge>
            }
          >
            <OidcForm {...{ provider, config, issuerHint, isAllowed }} />
          </Card>
          <div className="flex flex-col gap-4">
            <AtTheProvider label={label} config={config} />
            <SignInTest
              reason={config.enabled ? undefined : 'Enable the provider and save, to test it.'}
              begin={() => client.sso.getLoginUrl(provider)}
            />
          </div>
        </div>
      )}
    </QueryView>
  );
}

function AtTheProvider({ label, config }: { readonly label: string; readonly config: SsoConfig }) {
  return (
    <Card title={`Enter these at ${label}`}>
      {config.redirectUri === null ? (
        <PublicAddressNotice />
      ) : (
        <CopyText label="Redirect URI" text={config.redirectUri} />
      )}
    </Card>
  );
}

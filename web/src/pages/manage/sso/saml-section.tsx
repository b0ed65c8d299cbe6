import { useQuery } from '@tanstack/react-query';
import { Plus, ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import type { SamlConfig } from '@trellis/contract/shapes/sso.ts';
import { client } from '../../../api/client.ts';
import { useChangePermission } from '../../../app/permissions.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { CopyText } from '../../../ui/copy-text.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { AddSamlProviderDialog } from './add-saml-provider-dialog.tsx';
import { MetadataTest } from './metadata-test.tsx';
import { PublicAddressNotice } from './public-address-notice.tsx';
import { SamlForm } from './saml-form.tsx';
import { samlQuery } from './saml-query.ts';
import type { SamlProvider } from './saml-values.ts';
import { SignInTest } from './sign-in-test.tsx';

/** The SAML providers, by names of the administrator's choice. */
export function SamlSection() {
  const [isAdding, setIsAdding] = useState(false);
  const { isAllowed } = useChangePermission();
  const query = useQuery(samlQuery);
  return (
    <QueryView query={query} errorTitle="The SAML settings could not be read">
      {(config) => {
        const names = Object.keys(config.providers).toSorted();
        return (
          <div className="flex flex-col gap-4">
            <AtTheProvider config={config} />
            {names.length === 0 && (
              <Card>
                <EmptyState icon={ShieldCheck} title="No SAML provider yet">
                  Add one, then enter its address, its entity id and its certificate.
                </EmptyState>
              </Card>
            )}
            {names.map((name) => {
              const provider = config.providers[name];
              return provider && <Provider key={name} {...{ name, provider, config, isAllowed }} />;
            })}
            <div>
              <Button icon={Plus} disabled={!isAllowed} onClick={() => setIsAdding(true)}>
                Add SAML provider
              </Button>
            </div>
            {isAdding && <AddSamlProviderDialog taken={names} onClose={() => setIsAdding(false)} />}
          </div>
        );
      }}
    </QueryView>
  );
}

function AtTheProvider({ config }: { readonly config: SamlConfig }) {
  const { entityId, acsUrl } = config;
  return (
    <Card title="Enter these at the provider">
      {entityId === null || acsUrl === null ? (
        <PublicAddressNotice />
      ) : (
        <div className="flex flex-col gap-3">
          <CopyText label="Metadata URL" text={entityId} />
          <CopyText label="Entity id" text={entityId} />
          <CopyText label="Assertion consumer URL" text={acsUrl} />
          <MetadataTest />
        </div>
      )}
    </Card>
  );
}

interface ProviderProps {
  readonly name: string;
  readonly provider: SamlProvider;
  readonly config: SamlConfig;
  readonly isAllowed: boolean;
}

function Provider({ name, provider, config, isAllowed }: ProviderProps) {
  const issuer = config.entityId ?? '';
  return (
    <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <Card
        title={name}
        actions={provider.enabled ? <Badge tone="good">Enabled</Badge> : <Badge>Not enabled</Badge>}
      >
        <SamlForm name={name} provider={provider} isAllowed={isAllowed} />
      </Card>
      <SignInTest
        reason={provider.enabled ? undefined : 'Enable the provider and save, to test it.'}
        begin={() => client.sso.createSamlRequest(name, issuer, '/')}
      />
    </div>
  );
}

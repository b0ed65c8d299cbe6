import { getRouteApi } from '@tanstack/react-router';
import { useChangePermission } from '../../../app/permissions.ts';
import { PageHeader } from '../../../ui/page-header.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { PermissionNotice } from '../permission-notice.tsx';
import { OIDC_PROVIDERS } from './oidc-values.ts';
import { OidcSection } from './oidc-section.tsx';
import { SamlSection } from './saml-section.tsx';

const route = getRouteApi('/workspace/manage/access/sso');

/** Sign-in at identity providers (specification, section 4.2). */
export function SsoPage() {
  const { provider = 'googlesso' } = route.useSearch();
  const navigate = route.useNavigate();
  const permission = useChangePermission();
  return (
    <>
      <PageHeader
        title="Single sign-on"
        description="People sign in with an account that they have elsewhere. Enable only providers that you administer."
      />
      <PermissionNotice permission={permission} />
      <Tabs
        label="Identity providers"
        value={provider}
        onChange={(next) => void navigate({ search: { provider: next } })}
        items={[
          ...OIDC_PROVIDERS.map((one) => ({
            value: one.provider as string,
            label: one.label,
            content: <OidcSection {...one} />,
          })),
          { value: 'saml', label: 'SAML', content: <SamlSection /> },
        ]}
      />
    </>
  );
}

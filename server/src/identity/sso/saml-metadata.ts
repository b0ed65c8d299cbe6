import { generateServiceProviderMetadata } from '@node-saml/node-saml';
import type { ServiceProvider } from './saml-assertion.ts';

export function samlMetadata({ entityId, acsUrl }: ServiceProvider): string {
  return generateServiceProviderMetadata({
    issuer: entityId,
    callbackUrl: acsUrl,
    identifierFormat: null,
    wantAssertionsSigned: true,
  });
}

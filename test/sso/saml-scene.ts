import { expect } from 'vitest';
import { PlainBrowser, type Form, type Visit } from './plain-browser.ts';
import { startSamlIdp, type SamlIdp, type SamlPerson } from './saml-idp.ts';
import { startSsoWorkspace, type SsoWorkspace } from './sso-workspace.ts';

export const ANN: SamlPerson = { nameId: 'a-1', email: 'ann@example.com', groups: ['eng'] };

/** A workspace and a provider "corporate" that know each other, and the ways between them. */
export interface SamlScene extends AsyncDisposable {
  readonly at: SsoWorkspace;
  readonly idp: SamlIdp;
  /** The UID of the team to which the group "eng" leads. */
  readonly engineers: string;
  /**
   * Sets the provider up again, with these settings over good ones. It answers correctly, for Ann.
   */
  configure(change?: object): Promise<void>;
  requestPath(issuer: string, destination: string, name?: string): string;
  begin(browser: PlainBrowser, destination?: string): Promise<{ url: string; id: string }>;
  /** The provider's form for a sign-in that was just begun. */
  comeBack(browser: PlainBrowser, destination?: string): Promise<Form>;
}

export async function openSamlScene(): Promise<SamlScene> {
  const at = await startSsoWorkspace();
  const idp = await startSamlIdp(ANN);
  const engineers = await at.createTeam('Engineers');
  const begin: SamlScene['begin'] = async (browser, destination = '/') => {
    const path = requestPath(`${at.url}/api/saml/metadata`, destination);
    const visit = await browser.send(at.url + path);
    expect(visit.status, visit.text).toBe(200);
    return JSON.parse(visit.text);
  };
  return {
    at,
    idp,
    engineers,
    requestPath,
    begin,
    async configure(change = {}) {
      idp.person = ANN;
      idp.options = {};
      const corporate = {
        enabled: true,
        entryPoint: idp.entryPoint,
        idpIssuer: idp.entityId,
        idpCertificates: [idp.certificate],
        allowedDomains: [],
        groupTeams: { eng: engineers },
        createUsers: true,
        ...change,
      };
      const answer = await at.admin('/api/saml/config', { providers: { corporate } });
      expect(answer.status, answer.text).toBe(200);
    },
    comeBack: async (browser, destination) =>
      idp.answer(browser, (await begin(browser, destination)).url),
    async [Symbol.asyncDispose]() {
      await idp[Symbol.asyncDispose]();
      await at[Symbol.asyncDispose]();
    },
  };
}

function requestPath(issuer: string, destination: string, name = 'corporate'): string {
  const segments = [name, issuer, destination].map((segment) => encodeURIComponent(segment));
  return `/api/saml/createrequest/${segments.join('/')}`;
}

/**
 * Submits a form as the page of the provider does: another site's, so that our cookie stays away.
 */
export function submit({ action, fields }: Form): Promise<Visit> {
  return new PlainBrowser().send(action, { method: 'POST', body: new URLSearchParams(fields) });
}

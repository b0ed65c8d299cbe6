import type { Caller } from '#access/caller.ts';
import type {
  SamlConfig,
  SamlConfigChange,
  SsoConfig,
  SsoConfigChange,
  SsoProvider,
} from '@trellis/contract/shapes/sso.ts';
import type { Awaitable } from './answer.ts';

/** What HTTP needs of sign-in at identity providers (specification, section 4.2). */
export interface SsoService {
  /** Whether browsers reach this server over TLS, so that its cookies may be theirs only. */
  readonly isSecure: boolean;
  getConfig(provider: SsoProvider): Awaitable<SsoConfig>;
  /** Throws `invalid_request`, `sso_needs_public_address`, `version_conflict`. */
  setConfig(editor: SsoEditor, provider: SsoProvider, change: SsoConfigChange): Promise<SsoConfig>;
  /** Whether there is a SAML provider that people may sign in with. */
  takesSaml(): boolean;
  getSamlConfig(): Awaitable<SamlConfig>;
  setSamlConfig(editor: SsoEditor, change: SamlConfigChange): Promise<SamlConfig>;
  providers(): Awaitable<{ items: readonly LoginProvider[] }>;
  /** `browser` is what the browser's cookie shall hold. Throws `sso_not_configured`, `sso_failed`. */
  begin(
    provider: SsoProvider,
    returnTo: string,
    visitor: Pick<SsoVisitor, 'browser' | 'marks'>,
  ): Promise<{ readonly url: string; readonly browser: string }>;
  /** Throws every code of the group `sso_`. */
  complete(
    provider: SsoProvider,
    answer: URLSearchParams,
    visitor: SsoVisitor,
  ): Promise<SsoArrival>;
  beginSaml(
    request: {
      readonly providerName: string;
      readonly issuer: string;
      readonly destination: string;
    },
    visitor: Pick<SsoVisitor, 'browser' | 'marks'>,
  ): Promise<{ readonly url: string; readonly id: string; readonly browser: string }>;
  completeSaml(
    form: { readonly SAMLResponse: string; readonly RelayState?: string | undefined },
    visitor: SsoVisitor,
  ): Promise<SsoArrival>;
  /** XML. Throws `sso_not_configured`. */
  samlMetadata(): Awaitable<string>;
  /** Throws `sso_state_invalid`, and `forbidden` for a user who is not active any more. */
  exchange(code: string, visitor: SsoVisitor): Awaitable<SsoSession>;
}

export interface LoginProvider {
  readonly provider: string;
  readonly name: string;
  readonly loginUrl: string;
}

/** Who changes settings, and from which IP address. */
export interface SsoEditor {
  readonly caller: Caller;
  readonly address: string;
}

/** Who comes back from a provider: a browser, or a program that wants the session itself. */
export interface SsoVisitor {
  readonly browser: string | undefined;
  /** What the browser keeps of those who have signed in on it. */
  readonly marks: string | undefined;
  readonly address: string;
  readonly wantsSession: boolean;
}

/** A session for a program, or where to send the browser. */
export type SsoArrival = SsoSession | { readonly location: string };

/** With what the browser shall keep of those who have signed in on it. */
export interface SsoSession {
  readonly session: Session;
  readonly marks: string;
}

export interface Session {
  readonly token: string;
  readonly expiresAt: string;
}

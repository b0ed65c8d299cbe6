import { z } from 'zod';
import type { Immutable } from '../immutable.ts';
import {
  SAML_PROVIDERS_MAX,
  SSO_ALLOWED_DOMAINS_MAX,
  SSO_GROUPS_MAX,
  SSO_RETURN_PATH_CHARACTERS_MAX,
  SSO_TEXT_CHARACTERS_MAX,
} from '../limits.ts';
import { recordUpTo, uidText } from '../bounded-shapes.ts';

/** The identity providers of OpenID Connect, one prefix each (specification, section 4.2). */
export const SSO_PROVIDERS = ['googlesso', 'microsoftsso', 'oktasso', 'auth0sso'] as const;
export const ssoProvider = z.enum(SSO_PROVIDERS);
export type SsoProvider = z.infer<typeof ssoProvider>;

/** Where a sign-in may lead: a path of this workspace and never another site. */
export const returnPath = z
  .string()
  .max(SSO_RETURN_PATH_CHARACTERS_MAX)
  .regex(/^\/(?![/\\])[^\\\p{C}]*$/u, 'must be a path of this workspace: one "/" and no "\\"');

const text = z.string().max(SSO_TEXT_CHARACTERS_MAX);
const name = text.min(1);
const domain = z
  .string()
  .max(253)
  .regex(/^(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)+[a-z][a-z\d-]*$/, 'must be a domain in lower case');
const allowedDomains = z.array(domain).max(SSO_ALLOWED_DOMAINS_MAX);
/** From the name of a group at the provider to the UID of a team here. */
const groupTeams = recordUpTo(SSO_GROUPS_MAX, name, uidText);

const settable = {
  enabled: z.boolean(),
  clientId: text,
  /** The provider's issuer identifier; https, or http on the loopback. Empty: none given yet. */
  issuer: text,
  /** What is asked for; `openid` always. */
  scopes: z
    .array(
      z
        .string()
        .max(200)
        .regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/, 'must be a scope'),
    )
    .max(50),
  /** Only addresses in these domains may sign in; empty: any. */
  allowedDomains,
  /** The claim that lists the user's groups. */
  groupsClaim: name,
  groupTeams,
  /** Whether somebody unknown becomes a user at the first sign-in. */
  createUsers: z.boolean(),
};

/** The settings of one OpenID Connect provider; the secret itself is never told. */
export const ssoConfig = z.strictObject({
  ...settable,
  hasClientSecret: z.boolean(),
  /** To be entered at the provider; null until the server knows its public address. */
  redirectUri: z.string().nullable(),
});
export type SsoConfig = Immutable<z.infer<typeof ssoConfig>>;

/** What is left out stays as it is. */
export const ssoConfigChange = z.strictObject(settable).partial().extend({
  /** Write-only; null removes it. */
  clientSecret: name.nullable().optional(),
});
export type SsoConfigChange = Immutable<z.infer<typeof ssoConfigChange>>;

/** The name of a SAML provider in paths and settings. */
export const samlProviderName = z
  .string()
  .max(40)
  .regex(/^[A-Za-z\d][A-Za-z\d-]{0,39}$/, 'must be 1 to 40 letters, digits and "-"');

const samlProvider = z.strictObject({
  enabled: z.boolean(),
  /** Where the provider takes requests: https, or http on the loopback. */
  entryPoint: text,
  /** The entity id under which the provider signs. */
  idpIssuer: text,
  /** PEM. Several while the provider changes its key. */
  idpCertificates: z.array(z.string().max(20_000)).max(10),
  /** Names of the attributes that carry who somebody is. */
  attributes: z.strictObject({ email: name, firstName: name, lastName: name, groups: name }),
  allowedDomains,
  groupTeams,
  createUsers: z.boolean(),
});

export const samlConfig = z.strictObject({
  providers: z.record(z.string(), samlProvider),
  /** This workspace, as entered at the provider; null until the server knows its public address. */
  entityId: z.string().nullable(),
  acsUrl: z.string().nullable(),
});
export type SamlConfig = Immutable<z.infer<typeof samlConfig>>;

/** Providers by name: what is left out stays as it is, null removes the provider. */
export const samlConfigChange = z.strictObject({
  providers: recordUpTo(
    SAML_PROVIDERS_MAX,
    samlProviderName,
    samlProvider
      .extend({ attributes: samlProvider.shape.attributes.partial() })
      .partial()
      .nullable(),
  ),
});
export type SamlConfigChange = Immutable<z.infer<typeof samlConfigChange>>;

/** A session, as every way of signing in answers it (specification, section 2.4). */
export const issuedSession = z.strictObject({ token: z.string(), expiresAt: z.iso.datetime() });
export type IssuedSession = Immutable<z.infer<typeof issuedSession>>;

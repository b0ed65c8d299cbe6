import { z } from 'zod';
import {
  FETCH_ALLOW_LIST_MAX,
  PROVIDER_ADDRESS_CHARACTERS_MAX,
  REPLICA_URLS_CHARACTERS_MAX,
} from '../limits.ts';
import type { Immutable } from '../immutable.ts';
import { interfaceName } from './interface.ts';
import { originOf } from '../origins.ts';
import { plainText } from './user.ts';

/**
 * As browsers write origins: so comparing them is comparing texts. What speaks no HTTP is named by
 * scheme, host and port.
 */
const allowedOrigin = z
  .string()
  .max(PROVIDER_ADDRESS_CHARACTERS_MAX)
  .refine(
    (text) => originOf(text) === text,
    'must be an origin, such as https://api.example.com: no path, no user, no default port',
  );

const settings = {
  /** What people read as the name of the workspace. */
  name: plainText(1, 100),
  /**
   * Whether others than administrators may create and change teams (specification, section 4.7,
   * rule 1).
   */
  teamsEnabled: z.boolean(),
  /**
   * Servers to read from, beside the replicas that are registered: URLs with ";" between them
   * (specification, section 2.9).
   */
  ReplicaURLs: z
    .string()
    .max(REPLICA_URLS_CHARACTERS_MAX)
    .refine(
      isUrlList,
      'must be http or https URLs without user, query or fragment, with ";" between',
    ),
  /**
   * Origins that the code of endpoints may reach with `fetch`, such as `https://api.example.com`;
   * nobody when empty.
   */
  fetchAllowList: z.array(allowedOrigin).max(FETCH_ALLOW_LIST_MAX),
  /** The custom interface that is served at the root; null for the built-in front end. */
  interface: interfaceName.nullable(),
};

function isUrlList(text: string): boolean {
  const items = text.split(';').map((item) => item.trim());
  return items.filter((item) => item !== '').every(isPlainUrl);
}

/** URL is of the browser as well as of Node. */
function isPlainUrl(text: string): boolean {
  return /^https?:\/\/[^\s/@?#]+(?:\/[^\s?#]*)?$/i.test(text) && URL.canParse(text);
}

export const workspaceSettings = z.strictObject(settings);
export type WorkspaceSettingsDocument = Immutable<z.infer<typeof workspaceSettings>>;

export const workspaceSettingsChange = workspaceSettings.partial();
export type WorkspaceSettingsChange = Immutable<z.infer<typeof workspaceSettingsChange>>;

/**
 * The answer to `GET /api/openapi.json`: an OpenAPI document, version 3.1; its specification says
 * what is in it.
 */
export const apiDocument = z.looseObject({
  openapi: z.string(),
  info: z.looseObject({ title: z.string(), version: z.string() }),
  paths: z.record(z.string(), z.unknown()),
  components: z.looseObject({}),
});
export type ApiDocument = Immutable<z.infer<typeof apiDocument>>;

/**
 * The answer to `GET /api/license`: what the server was started with. The text of the license is no
 * part of it.
 */
export const licenseReport = z.strictObject({
  /** Whether there is one: `MSK_LICENSE` is set. */
  licensed: z.boolean(),
  /**
   * To whom the license was issued. It, `features` and `expiresAt` come from a license that the
   * authority has signed.
   */
  subject: z.string().optional(),
  features: z.array(z.string()),
  expiresAt: z.iso.datetime().optional(),
  /** Whether it is good now. */
  valid: z.boolean(),
  /** Why a license is not. */
  reason: z.string().optional(),
});
export type LicenseReport = Immutable<z.infer<typeof licenseReport>>;
